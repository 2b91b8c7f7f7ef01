import { describe, expect, it } from "vitest";
import { LogDecoder, logLines, type LogLine } from "./log-stream.js";

const STREAM_BYTE = { stdout: 1, stderr: 2 };

function frame(stream: LogLine["stream"], payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  const header = Buffer.alloc(8);
  header[0] = STREAM_BYTE[stream];
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function decode(...chunks: Uint8Array[]): LogLine[] {
  const decoder = new LogDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
}

const out = (line: string): LogLine => ({ stream: "stdout", line });
const err = (line: string): LogLine => ({ stream: "stderr", line });

// One frame ends inside the four bytes of the clapper board, and the other stream comes between its halves.
const clapper = Buffer.from("🎬");
const log = Buffer.concat([
  frame("stdout", "reel ä\n\nreel"),
  frame("stderr", ""),
  frame("stdout", Buffer.concat([Buffer.from(" 2 "), clapper.subarray(0, 2)])),
  frame("stderr", "splice €\r\n"),
  frame("stdout", Buffer.concat([clapper.subarray(2), Buffer.from("\nlast")])),
  frame("stderr", "no line end"),
]);
const lines = [out("reel ä"), out(""), err("splice €"), out("reel 2 🎬"), out("last"), err("no line end")];

describe("LogDecoder", () => {
  it("takes frames apart, whatever they cut", () => {
    expect(decode(log)).toEqual(lines);
  });

  it("gives the same lines wherever the stream is cut in two", () => {
    for (let at = 0; at <= log.length; at++) {
      expect(decode(log.subarray(0, at), log.subarray(at)), `cut at ${at}`).toEqual(lines);
    }
  });

  it.each([1, 2, 3, 5, 7, 8, 9, 13])("gives the same lines in chunks of %i bytes", (size) => {
    const chunks = Array.from({ length: Math.ceil(log.length / size) }, (_, i) =>
      log.subarray(i * size, (i + 1) * size),
    );
    expect(decode(...chunks)).toEqual(lines);
  });

  it("gives a line as soon as it is complete", () => {
    const decoder = new LogDecoder();
    expect(decoder.push(frame("stdout", "one\ntw"))).toEqual([out("one")]);
    expect(decoder.push(frame("stdout", "o\n"))).toEqual([out("two")]);
    expect(decoder.end()).toEqual([]);
  });

  it("cuts a line that never ends instead of keeping it", () => {
    const decoder = new LogDecoder();
    const got = Array.from({ length: 20 }, () => decoder.push(frame("stdout", "x".repeat(10_000)))).flat();
    expect(got.map(({ line }) => line.length)).toEqual([65_536, 65_536, 65_536]);
  });

  it("survives bytes that are no text", () => {
    expect(decode(frame("stdout", Uint8Array.of(0xff, 0x0a, 0xf0)))).toEqual([out("\ufffd"), out("\ufffd")]);
  });
});

describe("logLines", () => {
  it("reads a stream and ends with it", async () => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield log.subarray(0, 10);
      yield log.subarray(10);
    }
    const got: LogLine[] = [];
    for await (const line of logLines(chunks())) got.push(line);
    expect(got).toEqual(lines);
  });
});
