/**
 * Reads to its end what an engine tells about a pull, an import or a build: a JSON object a line. All three answer
 * with 200 before they begin, so a failure is a line (`errorDetail`), a line that is no JSON, or a stream that breaks
 * off. Resolves with the failure in words, or `undefined`.
 */
export async function readProgress(stream: AsyncIterable<string | Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let failure: string | undefined;
  let rest = "";
  try {
    for await (const chunk of stream) {
      const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) failure ??= failureIn(line);
    }
  } catch (error) {
    return failure ?? `the engine's answer broke off (${error instanceof Error ? error.message : String(error)})`;
  }
  return failure ?? failureIn(rest);
}

function failureIn(line: string): string | undefined {
  if (line.trim() === "") return undefined;
  let progress: unknown;
  try {
    progress = JSON.parse(line);
  } catch {
    return `the engine sent a line that is not JSON: ${line.trim().slice(0, 200)}`;
  }
  const { error, errorDetail } = Object(progress);
  const message: unknown = errorDetail?.message ?? error;
  return typeof message === "string" ? message.trim() : undefined;
}
