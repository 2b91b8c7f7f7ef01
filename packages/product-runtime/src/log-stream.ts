/** A line that a container printed. */
export interface LogLine {
  readonly stream: "stdout" | "stderr";
  /** Without its line end. */
  readonly line: string;
}

const HEADER_BYTES = 8;
const STDOUT = 1;
// A program that never ends its line must not fill the memory here.
const MAX_LINE_LENGTH = 64 * 1024;

/**
 * Takes apart the frames in which an engine mixes stdout and stderr: a byte for the stream, three of nothing, four of
 * length, the bytes. The engine cuts frames, and the network cuts chunks, anywhere: inside a header, a line, a
 * character. Lines longer than 64 Ki characters are cut.
 */
export class LogDecoder {
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerLength = 0;
  #payloadLeft = 0;
  readonly #stdout = new LineDecoder("stdout");
  readonly #stderr = new LineDecoder("stderr");

  /** The lines that are complete with this chunk. */
  push(chunk: Uint8Array): LogLine[] {
    const lines: LogLine[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#payloadLeft > 0) {
        const end = Math.min(chunk.length, at + this.#payloadLeft);
        lines.push(...this.#current.push(chunk.subarray(at, end)));
        this.#payloadLeft -= end - at;
        at = end;
      } else {
        const end = Math.min(chunk.length, at + HEADER_BYTES - this.#headerLength);
        this.#header.set(chunk.subarray(at, end), this.#headerLength);
        this.#headerLength += end - at;
        at = end;
        if (this.#headerLength === HEADER_BYTES) {
          this.#payloadLeft = new DataView(this.#header.buffer).getUint32(4);
          this.#headerLength = 0;
        }
      }
    }
    return lines;
  }

  /** What is left when the stream has ended: last lines without a line end. */
  end(): LogLine[] {
    return [...this.#stdout.end(), ...this.#stderr.end()];
  }

  get #current(): LineDecoder {
    return this.#header[0] === STDOUT ? this.#stdout : this.#stderr;
  }
}

/** The lines of a multiplexed stream, as they arrive. Ends with the stream, and destroys it when it is left early. */
export async function* logLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<LogLine, void, undefined> {
  const decoder = new LogDecoder();
  for await (const chunk of stream) yield* decoder.push(chunk);
  yield* decoder.end();
}

class LineDecoder {
  readonly #stream: LogLine["stream"];
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true });
  #rest = "";

  constructor(stream: LogLine["stream"]) {
    this.#stream = stream;
  }

  push(bytes: Uint8Array): LogLine[] {
    const lines = (this.#rest + this.#text.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    while (this.#rest.length > MAX_LINE_LENGTH) {
      lines.push(this.#rest.slice(0, MAX_LINE_LENGTH));
      this.#rest = this.#rest.slice(MAX_LINE_LENGTH);
    }
    return lines.map((line) => this.#line(line));
  }

  end(): LogLine[] {
    const rest = this.#rest + this.#text.decode();
    this.#rest = "";
    return rest === "" ? [] : [this.#line(rest)];
  }

  #line(text: string): LogLine {
    return { stream: this.#stream, line: text.endsWith("\r") ? text.slice(0, -1) : text };
  }
}
