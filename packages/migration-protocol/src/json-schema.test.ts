import { expect, it } from "vitest";
import * as z from "zod/mini";
import { jobToWorkerFrame, jobToWorkerFrameV2, workerToJobFrame, workerToJobFrameV2 } from "./schemas.js";

// For implementations in other languages. After a change of the schemas: npx vitest run -u.
it.each([
  ["v1/job-to-worker", jobToWorkerFrame],
  ["v1/worker-to-job", workerToJobFrame],
  ["v2/job-to-worker", jobToWorkerFrameV2],
  ["v2/worker-to-job", workerToJobFrameV2],
])("json-schema/%s.json says what the schemas say", async (name, schema) => {
  const json = z.toJSONSchema(schema, { io: "input", target: "draft-2020-12" });
  await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(`../json-schema/${name}.json`);
});
