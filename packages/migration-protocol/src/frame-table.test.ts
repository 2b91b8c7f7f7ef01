import { expect, it } from "vitest";
import * as z from "zod/mini";
import type { FieldKind, Fields } from "./frame-fields.js";
import * as schemas from "./schemas.js";

type JsonSchema = z.core.JSONSchema.JSONSchema;

const kinds = new Map<string, FieldKind>([
  ['{"type":"string"}', "string"],
  ['{"type":"number"}', "number"],
  ['{"type":"integer","minimum":0,"maximum":9007199254740991}', "uint"],
  ["{}", "json"],
]);

// After a change of the schemas: npx vitest run -u.
it("frame-table.ts says what the schemas say", async () => {
  const tables = Object.entries(schemas).map(([name, schema]) => {
    const frames = (z.toJSONSchema(schema, { io: "input" }).oneOf ?? []).map((frame) => {
      const { type, ...fields } = fieldSchemas(frame);
      return [String(type?.const), fieldsOf({ ...frame, properties: fields })] as const;
    });
    return `\nexport const ${name} = ${print(Object.fromEntries(frames))} as const;\n`;
  });
  const head = "// Generated from schemas.ts by frame-table.test.ts, so that a job need not load zod.\n";
  await expect(head + tables.join("")).toMatchFileSnapshot("frame-table.ts");
});

function fieldsOf(schema: JsonSchema): Fields {
  const { required = [] } = schema;
  const entries = Object.entries(fieldSchemas(schema));
  return Object.fromEntries(
    entries.map(([name, field]) => [required.includes(name) ? name : `${name}?`, kindOf(field)]),
  );
}

function fieldSchemas({ properties = {} }: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      if (typeof field === "boolean") throw new Error(`${name} is described by ${field}`);
      return [name, field];
    }),
  );
}

function kindOf(schema: JsonSchema): FieldKind | Fields {
  if (schema.type === "object" && schema.additionalProperties === undefined) return fieldsOf(schema);
  const kind = kinds.get(JSON.stringify(schema));
  if (kind === undefined) throw new Error(`no kind of field is ${JSON.stringify(schema)}`);
  return kind;
}

/** As prettier would write it. */
function print(value: FieldKind | Fields, indent = ""): string {
  if (typeof value === "string") return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${inner}${key}: ${print(field, inner)},\n`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
}
