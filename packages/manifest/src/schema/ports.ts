import * as z from "zod/mini";
import { matching, wholeNumber } from "./rules.js";

const CONTROL_PORT = 4321;

const NAME = matching(
  /^(?!x-)[a-z][a-z0-9-]{0,62}$/,
  "a port's name must be lower-case letters, digits and -, starting with a letter",
);
const PORT = wholeNumber(1, 65_535);

const CONTROL = {
  description: "Where the product serves its health and its manifest, over HTTP.",
  type: "integer",
  default: CONTROL_PORT,
} as const;

const ABOUT = {
  description: "TCP ports that the product listens on, by name. There is always a control.",
  properties: { control: CONTROL },
};

/** TCP ports by name. There is always exactly one `control`. */
export const ports = z
  ._default(
    z.pipe(
      z.record(NAME, PORT, "must be an object of names and port numbers"),
      z.transform((written, payload) => {
        const complete = { control: CONTROL_PORT, ...written };
        const names = new Map<number, string>();
        for (const [name, port] of Object.entries(complete)) {
          const other = names.get(port);
          if (other !== undefined) {
            const isImplied = other === "control" && !Object.hasOwn(written, "control");
            const message = isImplied
              ? `is the port of control too, which is ${CONTROL_PORT} by default; give control another`
              : `is the port of ${other} too`;
            payload.issues.push({ code: "custom", message, path: [name], input: port });
          }
          names.set(port, name);
        }
        return complete;
      }),
    ),
    { control: CONTROL_PORT },
  )
  .check(z.meta(ABOUT));
