/** How far one layer of a pull is. */
export interface LayerProgress {
  /** The layer's id, as short as engines show it. */
  readonly id: string;
  /** `complete` also where the engine had it already. */
  readonly phase: "waiting" | "downloading" | "downloaded" | "extracting" | "complete";
  /** The engine's own words, such as `Pulling fs layer` or `Retrying in 5 seconds`. */
  readonly status: string;
  /** Bytes downloaded, or extracted, so far in this phase. */
  readonly currentBytes: number;
  /** Compressed size, `undefined` until the engine has said it. */
  readonly totalBytes: number | undefined;
}

/** How far a pull is. */
export interface PullProgress {
  /** In the order in which the engine named them. */
  readonly layers: readonly LayerProgress[];
  /** From 0 to 1, and never less than before. An estimate, because engines name sizes late or not at all. */
  readonly fraction: number;
  /** Bytes downloaded by this pull so far. */
  readonly downloadedBytes: number;
  /** What the engine said of the pull as a whole, such as `Status: Image is up to date for alpine:3`. */
  readonly status: string | undefined;
}

/** A pull of which nothing is known yet. */
export const NO_PROGRESS: PullProgress = { layers: [], fraction: 0, downloadedBytes: 0, status: undefined };

// Extraction takes time too, and a bar that is full while it goes on looks stuck.
const DOWNLOAD_SHARE = 0.8;

// An engine may name another layer when those it has named are complete, and registers the image after the last.
const NEARLY_ALL = 0.99;

const PHASES: readonly (readonly [RegExp, LayerProgress["phase"]])[] = [
  [/^downloading/i, "downloading"],
  [/^(verifying checksum|download complete)/i, "downloaded"],
  [/^extracting/i, "extracting"],
  [/^(pull complete|already exists)/i, "complete"],
  [/^(pulling fs layer|waiting|retrying)/i, "waiting"],
];

/** The progress after one line of an engine's answer. A line that says nothing new gives the progress that it got. */
export function withLine(progress: PullProgress, line: unknown): PullProgress {
  const { id, status, progressDetail }: Readonly<Record<string, unknown>> = Object(line);
  if (typeof status !== "string" || status === "") return progress;
  const phase = PHASES.find(([pattern]) => pattern.test(status))?.[1];
  // "Pulling from x" has an id too: the tag.
  if (typeof id !== "string" || phase === undefined) return { ...progress, status };
  const before = progress.layers.find((layer) => layer.id === id);
  const layer = layerAfter(before, { id, status, phase }, Object(progressDetail));
  const layers = before
    ? progress.layers.map((other) => (other === before ? layer : other))
    : [...progress.layers, layer];
  return {
    ...progress,
    layers,
    fraction: Math.max(progress.fraction, Math.min(fractionOf(layers), NEARLY_ALL)),
    downloadedBytes: layers.reduce((sum, each) => sum + downloadedBytesOf(each), 0),
  };
}

/** The progress of a pull that has succeeded. */
export function completed(progress: PullProgress): PullProgress {
  const layers = progress.layers.map((layer): LayerProgress => ({ ...layer, phase: "complete" }));
  return { ...progress, layers, fraction: 1 };
}

function layerAfter(
  before: LayerProgress | undefined,
  now: Pick<LayerProgress, "id" | "status" | "phase">,
  detail: Readonly<Record<string, unknown>>,
): LayerProgress {
  const totalBytes = countIn(detail["total"]) ?? before?.totalBytes;
  const kept = now.phase === "waiting" || before === undefined ? 0 : (totalBytes ?? before.currentBytes);
  return { ...now, totalBytes, currentBytes: countIn(detail["current"]) ?? kept };
}

// Engines say -1 for a total that they do not know.
function countIn(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

function downloadedBytesOf({ phase, currentBytes, totalBytes }: LayerProgress): number {
  return phase === "waiting" || phase === "downloading" ? currentBytes : (totalBytes ?? 0);
}

function fractionOf(layers: readonly LayerProgress[]): number {
  const sizes = layers.flatMap(({ totalBytes }) => totalBytes ?? []);
  const usualSize = sizes.length === 0 ? 1 : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  let done = 0;
  let all = 0;
  // A layer that is complete and has no size was there before.
  for (const layer of layers) {
    const weight = layer.totalBytes ?? (layer.phase === "complete" ? 0 : usualSize);
    all += weight;
    done += weight * layerFraction(layer);
  }
  return all === 0 ? 0 : done / all;
}

function layerFraction({ phase, currentBytes, totalBytes }: LayerProgress): number {
  const part = totalBytes === undefined ? 0 : Math.min(1, currentBytes / totalBytes);
  switch (phase) {
    case "waiting":
      return 0;
    case "downloading":
      return DOWNLOAD_SHARE * part;
    case "downloaded":
      return DOWNLOAD_SHARE;
    case "extracting":
      return DOWNLOAD_SHARE + (1 - DOWNLOAD_SHARE) * part;
    case "complete":
      return 1;
  }
}
