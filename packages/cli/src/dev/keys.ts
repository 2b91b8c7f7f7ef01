/** Calls `onKey` with each key that is pressed, without waiting for Enter; the returned function ends that. */
export function listenToKeys(input: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  const read = (data: Buffer): void => {
    // Arrows and their like are several characters, some of which are letters.
    // oxlint-disable-next-line no-control-regex
    const text = data.toString().replaceAll(/\u001b(?:[[O][\d;]*[A-Za-z~])?/g, "");
    for (const key of text) onKey(key);
  };
  // A terminal that has gone asks for nothing more.
  const quit = (): void => onKey("q");
  input.setRawMode(true);
  input.on("data", read).once("end", quit).once("error", quit);
  return () => {
    input.setRawMode(false);
    input.off("data", read).off("end", quit).off("error", quit).pause();
  };
}
