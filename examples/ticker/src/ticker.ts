import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connectHandover, refuse } from "@changeover/migration-client";

const everyMs = 10;
const { TICKER_COLLECTOR = "tcp://127.0.0.1:4000", TICKER_T0, TICKER_REFUSES } = process.env;
const collector = new URL(TICKER_COLLECTOR);

// The state is all that a successor needs: tick n is due at t0 + n * 10 ms, and its hash covers all ticks before it.
const now = Date.now();
const t0 = Number(TICKER_T0 ?? now);
let state = { t0, n: Math.max(0, Math.ceil((now - t0) / everyMs)), hash: "" };
let kept: { n: number; line: string }[] = [];
let output: Socket | undefined;
let stop: { atOrAfter: number; isReached: () => void } | undefined;

function tick(): void {
  for (; state.t0 + state.n * everyMs <= Date.now(); state.n++) {
    state.hash = createHash("sha256").update(`${state.hash}${state.n}`).digest("hex");
    kept.push({ n: state.n, line: `${state.n} ${state.hash}\n` });
  }
  send();
  // A stop right after a tick leaves the whole interval for the change of hands.
  if (output && stop && state.n >= stop.atOrAfter) stop.isReached();
  setTimeout(tick, state.t0 + state.n * everyMs - Date.now());
}

function send(): void {
  if (!output) return;
  output.write(kept.map(({ line }) => line).join(""));
  kept = [];
}

/** Goes on where the collector's numbers end: whoever sent before may have got further than anybody knows. */
async function startOutput(): Promise<void> {
  const socket = connect(Number(collector.port), collector.hostname);
  // Without its output a ticker is of no use: it ends, and whoever runs it sees that it has.
  socket.on("error", ({ message }) => process.exit((console.error(message), 1)));
  const [next] = await once(socket, "data");
  kept = kept.filter(({ n }) => n >= Number(next));
  output = socket;
  send();
}

/** Stops at or after a number. What comes due from there on is kept, for this instance may have to resume. */
async function stopOutput(atOrAfter: number, signal: AbortSignal): Promise<{ n: number }> {
  await new Promise<void>((isReached, reject) => {
    stop = { atOrAfter, isReached };
    // Nobody waits for the stop any more.
    signal.addEventListener("abort", () => reject(signal.reason));
  }).finally(() => (stop = undefined));
  const stopped = { n: state.n };
  const socket = output;
  output = undefined;
  // The collector closes its end when it has read everything.
  if (socket) await once(socket.end(), "close");
  return stopped;
}

const handover = connectHandover(
  {
    getState: () => (TICKER_REFUSES ? refuse(TICKER_REFUSES) : { ...state }),
    adopt(given) {
      state = given;
      // It ticks from now on and keeps what comes due: it may have to step in for a source that died.
      tick();
      return { n: state.n };
    },
    stopAt: ({ n }, { signal }) => stopOutput(n, signal),
    // Not from the position: the collector knows better.
    takeOver: startOutput,
    // The stop may have been called off before it was reached.
    resume: () => (output ? undefined : startOutput()),
  },
  process.env,
  // A source that has stopped may be waiting for a worker that is being restarted, and its listeners hear nothing.
  { reconnectMinMs: 50, reconnectMaxMs: 500 },
);

if ((await handover.ready) !== "target") {
  tick();
  await startOutput();
}
