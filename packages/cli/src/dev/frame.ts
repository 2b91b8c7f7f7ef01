/** What a person wants to know of a frame. It is read as it is, also where it breaks the protocol. */
export interface Frame {
  readonly type: string;
  /** Its payload or its reason, shortened; absent where it has none. */
  readonly content?: string;
}

const maxContent = 60;

export function readFrame(text: string): Frame | undefined {
  const frame = parse(text);
  if (typeof frame !== "object" || frame === null || !("type" in frame)) return undefined;
  const type = shorten(String(frame.type));
  if ("reason" in frame) return { type, content: shorten(String(frame.reason), 200) };
  if ("payload" in frame) return { type, content: describePayload(frame.payload) };
  return { type };
}

/** Frames of the connection, not of the job. */
export function isHousekeeping({ type }: Frame): boolean {
  return ["hello", "hello-ack", "ping", "pong", "report-ack"].includes(type);
}

export function formatFrame({ type, content }: Frame): string {
  return content === undefined ? type : `${type} ${content}`;
}

/** Text on one line, without what would move a terminal's cursor. */
export function shorten(text: string, max = maxContent): string {
  // oxlint-disable-next-line no-control-regex
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
  const characters = Array.from(plain.slice(0, max * 2));
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : plain;
}

function describePayload(payload: unknown): string {
  const text = JSON.stringify(payload);
  const short = shorten(text);
  return short === text ? text : `${short} (${formatBytes(Buffer.byteLength(text))})`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
