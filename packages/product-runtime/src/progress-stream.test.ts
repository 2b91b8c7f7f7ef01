import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readProgress } from "./progress-stream.js";

const read = (...chunks: (string | Uint8Array)[]): Promise<string | undefined> => readProgress(Readable.from(chunks));

it("finds nothing wrong with progress, whole or in pieces", async () => {
  await expect(read('{"status":"Pulling"}\r\n{"sta', 'tus":"ä"}\n\n')).resolves.toBeUndefined();
  const bytes = Buffer.from('{"status":"ä"}');
  await expect(read(bytes.subarray(0, 12), bytes.subarray(12))).resolves.toBeUndefined();
  await expect(read()).resolves.toBeUndefined();
});

it("finds a failure inside a success", async () => {
  const failure = '{"errorDetail":{"message":"toomanyrequests"},"error":"other words"}';
  await expect(read('{"status":"Pulling"}\n', failure)).resolves.toBe("toomanyrequests");
  await expect(read('{"error":"no space left on device"}\n{"status":"?"}\n')).resolves.toBe("no space left on device");
});

it("finds a line that is not JSON", async () => {
  await expect(read("<html>502 Bad Gateway</html>\n")).resolves.toContain("not JSON: <html>502 Bad Gateway");
  await expect(read('{"status":"Pul')).resolves.toContain('not JSON: {"status":"Pul');
});

it("finds a stream that breaks off", async () => {
  async function* broken(): AsyncGenerator<string> {
    yield '{"status":"Pulling"}\n';
    throw new Error("aborted");
  }
  await expect(readProgress(broken())).resolves.toBe("the engine's answer broke off (aborted)");
});
