import type { Container } from "dockerode";
import { text } from "node:stream/consumers";
import { pause, systemClock } from "./clock.js";
import { containerEnd, type ContainerEnd } from "./container-end.js";
import { dialStream } from "./dial.js";
import type { Engine } from "./engine.js";
import { engineFailure, statusOf } from "./engine-response.js";
import { logLines } from "./log-stream.js";
import { LogTail } from "./log-tail.js";
import type { Redact } from "./redact.js";

/** Sees the end of a container that is about to start. */
export interface ContainerWatch {
  /** How it ended. Never rejects, and is never settled while the container may still run. */
  readonly gone: Promise<ContainerEnd>;
  /** The last lines of its output so far. */
  readonly tail: LogTail;
  /** Stops watching: for a container that never started. */
  dispose(): void;
}

interface Exit {
  readonly exitCode: number | null;
  readonly oomKilled: boolean;
}

// The output ends before the exit is reported. Should it not, the end must still become known.
const OUTPUT_GRACE_MS = 1_000;
const QUERY_TIMEOUT_MS = 10_000;
const MAX_PAUSE_MS = 5_000;

/**
 * Arms everything that tells about the end of a container, and resolves when all of it is armed. It must be armed
 * before the start: a container that removes itself takes its exit code and its output with it.
 */
export async function watchContainer(engine: Engine, container: Container, redact: Redact): Promise<ContainerWatch> {
  const controller = new AbortController();
  const { signal } = controller;
  const { docker } = engine;
  const at = `/containers/${container.id}`;
  try {
    const [output, exit, ooms] = await Promise.all([
      dialStream(docker, {
        method: "POST",
        path: `${at}/attach?`,
        query: { stream: true, stdout: true, stderr: true },
        signal,
      }),
      dialStream(docker, { method: "POST", path: `${at}/wait?`, query: { condition: "next-exit" }, signal }),
      // Inspect knows it too, but by then the container may have been removed.
      dialStream(docker, {
        method: "GET",
        path: "/events?",
        query: { filters: { container: [container.id], event: ["oom"] } },
        signal,
      }),
    ]);
    const tail = new LogTail();
    const outputEnded = collect(output, tail, redact);
    let sawOom = false;
    ooms.on("data", () => (sawOom = true)).on("error", () => {});
    const gone = exitFrom(exit)
      .then((code) => (code === undefined ? pollExit(container, signal) : { exitCode: code, oomKilled: false }))
      .then(async ({ exitCode, oomKilled }) => {
        await Promise.race([outputEnded, pause(OUTPUT_GRACE_MS, systemClock, signal)]);
        controller.abort();
        return containerEnd(exitCode, oomKilled || sawOom, tail.texts);
      });
    return { gone, tail, dispose: () => controller.abort() };
  } catch (error) {
    controller.abort();
    throw engineFailure(`watching the container ${container.id.slice(0, 12)}`, error);
  }
}

async function collect(output: AsyncIterable<Uint8Array>, tail: LogTail, redact: Redact): Promise<void> {
  try {
    for await (const { stream, line } of logLines(output)) tail.add({ stream, line: redact(line) });
  } catch {
    // The connection broke: the end is told without what came after.
  }
}

/** The exit code that the engine reports, or `undefined` when it could not, as when it is restarted. */
async function exitFrom(response: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  try {
    const { StatusCode, Error: error } = Object(JSON.parse(await text(response)));
    return typeof StatusCode === "number" && (error ?? null) === null ? StatusCode : undefined;
  } catch {
    return undefined;
  }
}

/** A lost connection is no end: only an engine that knows no such running container says that it is gone. */
async function pollExit(container: Container, signal: AbortSignal): Promise<Exit> {
  for (let pauseMs = 50; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const { State } = await container.inspect({ abortSignal: AbortSignal.timeout(QUERY_TIMEOUT_MS) });
      if (State.Running) {
        const { StatusCode } = await container.wait({ condition: "not-running", abortSignal: signal });
        return { exitCode: StatusCode, oomKilled: false };
      }
      // Before its start a container does not run either, and that is no end.
      if (State.Status !== "created") return { exitCode: State.ExitCode, oomKilled: State.OOMKilled };
    } catch (error) {
      if (statusOf(error) === 404) break;
    }
    await pause(pauseMs, systemClock, signal);
  }
  return { exitCode: null, oomKilled: false };
}
