import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { expect, it } from "vitest";
import { formatTraces } from "./document/traces.js";
import { withSections } from "./document/sections.js";
import { formatRules, formatTransitionTable } from "./document/transition-table.js";

const file = fileURLToPath(new URL("../../../docs/protocol.md", import.meta.url));

it("the protocol document shows the table that the worker goes by and traces of real runs; `vitest -u` renews it", async () => {
  const document = withSections(readFileSync(file, "utf8"), {
    "transition table": formatTransitionTable(),
    rules: formatRules(),
    traces: await formatTraces(),
  });
  await expect(
    await format(document, { parser: "markdown", printWidth: 120, proseWrap: "preserve" }),
  ).toMatchFileSnapshot(file);
});
