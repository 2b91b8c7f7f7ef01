/** One line of what an engine tells about a pull, an import or a build. */
export type ProgressLine =
  | { readonly kind: "progress"; readonly progress: unknown }
  /** The engine, or the connection to it, says that the work has failed. */
  | { readonly kind: "failure"; readonly text: string }
  /** A line that is no JSON: of a proxy, or cut off. */
  | { readonly kind: "stray"; readonly text: string };

/**
 * What an engine tells about a pull, an import or a build, line by line: a JSON object each. All three answer with 200
 * before they begin, so a failure is a line (`errorDetail`), a line that is no JSON, or a stream that breaks off.
 */
export async function* progressLines(stream: AsyncIterable<string | Uint8Array>): AsyncGenerator<ProgressLine> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of stream) {
      const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield parsed(line);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    yield { kind: "failure", text: `the engine's answer broke off (${why})` };
    return;
  }
  if (rest.trim() !== "") yield parsed(rest);
}

/** Reads such a stream to its end. Resolves with the failure in words, or `undefined`. */
export async function readProgress(stream: AsyncIterable<string | Uint8Array>): Promise<string | undefined> {
  let failure: string | undefined;
  for await (const line of progressLines(stream)) failure ??= line.kind === "progress" ? undefined : line.text;
  return failure;
}

function parsed(line: string): ProgressLine {
  let progress: unknown;
  try {
    progress = JSON.parse(line);
  } catch {
    return { kind: "stray", text: `the engine sent a line that is not JSON: ${line.trim().slice(0, 200)}` };
  }
  const { error, errorDetail } = Object(progress);
  const message: unknown = errorDetail?.message ?? error;
  return typeof message === "string" ? { kind: "failure", text: message.trim() } : { kind: "progress", progress };
}
