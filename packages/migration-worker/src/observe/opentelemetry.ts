import {
  context,
  metrics,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type HrTime,
  type MeterProvider,
  type Span,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { systemClock } from "../clock.js";
import type { WorkerEvent } from "../events.js";
import type { HandoverEnd, Phase } from "../handover/end.js";
import type { MigrationWorker } from "../migration-worker.js";
import { ConnectedInstances } from "./connected-instances.js";

const scope = "@changeover/migration-worker";

export interface OpenTelemetryOptions {
  /** Where spans go; by default to the provider that the application has registered, or will. */
  tracerProvider?: TracerProvider;
  /** Where measurements go; by default to the provider that the application has registered by now. */
  meterProvider?: MeterProvider;
}

/**
 * Tells OpenTelemetry about a worker's handovers, until the returned function is called: that ends what is open. No
 * attribute holds a token or a payload; job and migration ids are on spans only, where they cost no time series.
 *
 * Spans, with the times of the events:
 *
 * - `changeover.handover`, a child of what is active where `handover()` is called: `changeover.job_id`,
 *   `changeover.migration_id`, `changeover.outcome`; `changeover.phase`, `changeover.reason` and `changeover.active`
 *   where it has them; an error when it was aborted or is indeterminate
 * - `changeover.handover.<phase>` for each phase, and `changeover.handover.fencing`
 *
 * Metrics:
 *
 * - `changeover.handovers`: counts ends by `changeover.outcome` and, where one failed, `changeover.phase`
 * - `changeover.handover.duration`: milliseconds of whole handovers by `changeover.outcome`
 * - `changeover.handover.phase.duration`: milliseconds by `changeover.phase`
 * - `changeover.handover.output_gap`: milliseconds without output of completed handovers, as the worker heard of it
 * - `changeover.instances.connected`: instances that have connected since and still are
 *
 * A handover that is in flight when this is called leaves no span and no whole duration, for its beginning is not known.
 *
 * @example
 * ```ts
 * import { startMigrationWorker } from "@changeover/migration-worker";
 * import { observeWithOpenTelemetry } from "@changeover/migration-worker/opentelemetry";
 *
 * const worker = await startMigrationWorker();
 * const stop = observeWithOpenTelemetry(worker);
 * // …
 * await worker.close();
 * stop();
 * ```
 */
export function observeWithOpenTelemetry(
  worker: Pick<MigrationWorker, "subscribe">,
  options: OpenTelemetryOptions = {},
): () => void {
  const traces = new HandoverTraces((options.tracerProvider ?? trace).getTracer(scope));
  const measure = createMeasurements(options.meterProvider ?? metrics.getMeterProvider());
  const unsubscribe = worker.subscribe((event) => {
    const handoverMs = traces.take(event);
    measure.take(event, handoverMs);
  });
  return () => {
    unsubscribe();
    traces.stop();
    measure.stop();
  };
}

function createMeasurements(provider: MeterProvider) {
  const meter = provider.getMeter(scope);
  const ends = meter.createCounter("changeover.handovers", {
    description: "Handovers that have ended",
    unit: "{handover}",
  });
  const handoverDuration = meter.createHistogram("changeover.handover.duration", {
    description: "How long handovers took",
    unit: "ms",
  });
  const phaseDuration = meter.createHistogram("changeover.handover.phase.duration", {
    description: "How long the phases of handovers took",
    unit: "ms",
  });
  const outputGap = meter.createHistogram("changeover.handover.output_gap", {
    description: "How long completed handovers left a job without output",
    unit: "ms",
  });
  const connected = meter.createUpDownCounter("changeover.instances.connected", {
    description: "Instances that are connected to the job socket",
    unit: "{instance}",
  });
  let instances = new ConnectedInstances();
  return {
    take(event: WorkerEvent, handoverMs: number | undefined): void {
      const change = instances.take(event);
      if (change !== 0) connected.add(change);
      if (event.type !== "ended") return;
      const outcome = { "changeover.outcome": event.end.outcome };
      ends.add(1, "phase" in event.end ? { ...outcome, "changeover.phase": event.end.phase } : outcome);
      if (handoverMs !== undefined) handoverDuration.record(handoverMs, outcome);
      for (const [phase, ms] of Object.entries(event.end.phasesMs)) {
        phaseDuration.record(ms, { "changeover.phase": phase });
      }
      if (event.end.outcome === "completed" && event.end.outputGapMs !== undefined) {
        outputGap.record(event.end.outputGapMs);
      }
    },
    stop(): void {
      // The counter is the sum over all workers of a process: this one's share goes.
      if (instances.count > 0) connected.add(-instances.count);
      instances = new ConnectedInstances();
    },
  };
}

interface HandoverTrace {
  readonly span: Span;
  readonly context: Context;
  readonly startedAtMs: number;
  part?: { readonly span: Span; readonly name: Phase | "fencing"; readonly startedAtMs: number };
}

/** The spans of handovers in flight. */
class HandoverTraces {
  readonly #tracer: Tracer;
  readonly #open = new Map<string, HandoverTrace>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Takes an event and returns how long the handover took that it ends, where that is known. */
  take(event: WorkerEvent): number | undefined {
    if (!("migrationId" in event)) return undefined;
    const { migrationId, atMs } = event;
    if (event.type === "phase" && event.phase === "propose") this.#begin(event.jobId, migrationId, atMs);
    const handover = this.#open.get(migrationId);
    if (!handover) return undefined;
    switch (event.type) {
      case "phase":
        endPart(handover, atMs);
        this.#beginPart(handover, event.phase, atMs);
        return undefined;
      case "fencing":
        endPart(handover, atMs, event.reason);
        this.#beginPart(handover, "fencing", atMs);
        return undefined;
      case "resuming":
        // Fencing has then done what it is for.
        endPart(handover, atMs, handover.part?.name === "fencing" ? undefined : event.reason);
        handover.span.addEvent("resuming", { "changeover.reason": event.reason }, time(atMs));
        return undefined;
      case "remove-failed":
        handover.span.addEvent(
          "remove-failed",
          { "changeover.side": event.side, "changeover.reason": event.reason },
          time(atMs),
        );
        return undefined;
      case "ended":
        this.#open.delete(migrationId);
        end(handover, event.end, atMs);
        return atMs - handover.startedAtMs;
    }
  }

  stop(): void {
    const now = systemClock.now();
    for (const handover of this.#open.values()) {
      endPart(handover, now);
      handover.span.addEvent("no longer observed", time(now));
      handover.span.end(time(now));
    }
    this.#open.clear();
  }

  #begin(jobId: string, migrationId: string, atMs: number): void {
    const attributes = { "changeover.job_id": jobId, "changeover.migration_id": migrationId };
    const span = this.#tracer.startSpan("changeover.handover", { attributes, startTime: time(atMs) });
    this.#open.set(migrationId, { span, context: trace.setSpan(context.active(), span), startedAtMs: atMs });
  }

  #beginPart(handover: HandoverTrace, name: Phase | "fencing", atMs: number): void {
    const attributes: Attributes = name === "fencing" ? {} : { "changeover.phase": name };
    const options = { attributes, startTime: time(atMs) };
    const span = this.#tracer.startSpan(`changeover.handover.${name}`, options, handover.context);
    handover.part = { span, name, startedAtMs: atMs };
  }
}

function end(handover: HandoverTrace, handoverEnd: HandoverEnd, atMs: number): void {
  const { span, part } = handover;
  const { outcome, phasesMs } = handoverEnd;
  const failure = outcome === "aborted" || outcome === "indeterminate" ? handoverEnd.reason : undefined;
  // What a phase has left behind is cleared away between its end and that of the handover.
  const phaseMs = part && part.name !== "fencing" ? phasesMs[part.name] : undefined;
  endPart(handover, part && phaseMs !== undefined ? Math.min(atMs, part.startedAtMs + phaseMs) : atMs, failure);
  span.setAttribute("changeover.outcome", outcome);
  if ("phase" in handoverEnd) span.setAttribute("changeover.phase", handoverEnd.phase);
  if ("reason" in handoverEnd) span.setAttribute("changeover.reason", handoverEnd.reason);
  if ("active" in handoverEnd) span.setAttribute("changeover.active", handoverEnd.active);
  if (outcome === "completed" && handoverEnd.sourceLost !== undefined) {
    span.setAttribute("changeover.source_lost", handoverEnd.sourceLost);
  }
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(time(atMs));
}

function endPart(handover: HandoverTrace, atMs: number, failure?: string): void {
  if (!handover.part) return;
  const { span } = handover.part;
  delete handover.part;
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(time(atMs));
}

/** Seconds and nanoseconds: OpenTelemetry takes a small number for one that counts from the start of the process. */
function time(atMs: number): HrTime {
  const seconds = Math.floor(atMs / 1_000);
  return [seconds, Math.floor((atMs - seconds * 1_000) * 1_000_000)];
}
