import { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { eventually } from "@changeover/testing";
import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { observeWithOpenTelemetry } from "../src/observe/opentelemetry.js";
import type { MigrationWorker } from "../src/migration-worker.js";
import { ScriptedJob } from "./scripted-job.js";
import { createStage, TestPlacement, untilApply, untilReady, untilStop, type Stage } from "./stage.js";

/** What one handover leaves behind, in the units of the events. */
interface SeenSpan {
  name: string;
  parent: string | undefined;
  fromMs: number;
  toMs: number;
  attributes: Record<string, unknown>;
  error: string | undefined;
  events: string[];
}

interface Observed {
  stop(): void;
  /** The spans that have ended, in the order of their beginnings. */
  spans(): SeenSpan[];
  span(name: string): SeenSpan;
  /** Spans that have begun and not ended. */
  open(): number;
  /** Every value of a metric, with its attributes without their prefix. */
  values(metric: string): Promise<{ attributes: Record<string, unknown>; value: unknown }[]>;
}

function observe(worker: Pick<MigrationWorker, "subscribe">): Observed {
  const exporter = new InMemorySpanExporter();
  const order: string[] = [];
  const counter = {
    open: 0,
    onStart: (span: ReadableSpan) => {
      counter.open++;
      order.push(span.spanContext().spanId);
    },
    onEnd: () => void counter.open--,
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter), counter] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1_000_000 })],
  });
  const stop = observeWithOpenTelemetry(worker, { tracerProvider, meterProvider });
  onTestFinished(async () => {
    stop();
    expect(counter.open).toBe(0);
    await tracerProvider.shutdown();
    await meterProvider.shutdown();
  });
  const spans = (): SeenSpan[] => {
    const finished = exporter.getFinishedSpans();
    return order.flatMap((id) => {
      const span = finished.find((candidate) => candidate.spanContext().spanId === id);
      if (!span) return [];
      const parent = finished.find((candidate) => candidate.spanContext().spanId === span.parentSpanContext?.spanId);
      return {
        name: span.name,
        parent: parent?.name,
        fromMs: toMs(span.startTime),
        toMs: toMs(span.endTime),
        attributes: span.attributes,
        error: span.status.code === SpanStatusCode.ERROR ? span.status.message : undefined,
        events: span.events.map(({ name }) => name),
      };
    });
  };
  return {
    stop,
    spans,
    span: (name) => {
      const found = spans().find((span) => span.name === name);
      if (!found) throw new Error(`no span ${name}`);
      return found;
    },
    open: () => counter.open,
    values: async (metric) => {
      await meterProvider.forceFlush();
      const [scope] = metricExporter.getMetrics().at(-1)?.scopeMetrics ?? [];
      const data = scope?.metrics.find(({ descriptor }) => descriptor.name === metric);
      return (data?.dataPoints ?? []).map(({ attributes, value }) => ({
        attributes: Object.fromEntries(
          Object.entries(attributes).map(([key, each]) => [key.replace(/^changeover\./, ""), each]),
        ),
        value: typeof value === "number" ? value : [value.count, value.sum],
      }));
    },
  };
}

function toMs([seconds, nanoseconds]: [number, number]): number {
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Takes a handover to its end; the worker's clock stands at 119 ms afterwards, and began at 100. */
async function complete(stage: Stage): Promise<void> {
  await stage.clock.advance(100);
  const run = stage.handOver();
  await stage.source.hears("get-state");
  await stage.clock.advance(5);
  const target = await untilReady(stage, run);
  await stage.clock.advance(10.25);
  target.send({ type: "target-ready", payload: "a secret position" });
  await stage.source.hears("cutover-ready");
  await stage.clock.advance(2.5);
  stage.source.send({ type: "source-stopped-output", payload: "a secret position" });
  await target.hears("cutover-apply");
  await stage.clock.advance(1.25);
  target.send({ type: "target-applied" });
  expect(await run.end).toMatchObject({ outcome: "completed" });
}

describe("OpenTelemetry sees of a completed handover", () => {
  it("a span, and one for each phase, with the times of the events", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    await complete(stage);
    const parent = "changeover.handover";
    expect(observed.spans().map(({ name, parent: of, fromMs, toMs: to }) => [name, of, fromMs, to])).toEqual([
      ["changeover.handover", undefined, 100, 119],
      ["changeover.handover.propose", parent, 100, 105],
      ["changeover.handover.place", parent, 105, 105],
      ["changeover.handover.ready", parent, 105, 115.25],
      ["changeover.handover.stop", parent, 115.25, 117.75],
      ["changeover.handover.apply", parent, 117.75, 119],
      ["changeover.handover.commit", parent, 119, 119],
    ]);
    expect(observed.spans().every(({ error }) => error === undefined)).toBe(true);
    const { attributes } = observed.span("changeover.handover");
    expect(attributes).toEqual({
      "changeover.job_id": "job-1",
      "changeover.migration_id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "changeover.outcome": "completed",
    });
    expect(observed.span("changeover.handover.stop").attributes).toEqual({ "changeover.phase": "stop" });
    expect(observed.open()).toBe(0);
  });

  it("a count and durations", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    await complete(stage);
    expect(await observed.values("changeover.handovers")).toEqual([{ attributes: { outcome: "completed" }, value: 1 }]);
    expect(await observed.values("changeover.handover.duration")).toEqual([
      { attributes: { outcome: "completed" }, value: [1, 19] },
    ]);
    expect(await observed.values("changeover.handover.phase.duration")).toEqual([
      { attributes: { phase: "propose" }, value: [1, 5] },
      { attributes: { phase: "place" }, value: [1, 0] },
      { attributes: { phase: "ready" }, value: [1, 10.25] },
      { attributes: { phase: "stop" }, value: [1, 2.5] },
      { attributes: { phase: "apply" }, value: [1, 1.25] },
      { attributes: { phase: "commit" }, value: [1, 0] },
    ]);
    expect(await observed.values("changeover.handover.output_gap")).toEqual([{ attributes: {}, value: [1, 1.25] }]);
  });

  it("neither a token nor a payload", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    await complete(stage);
    const seen = JSON.stringify([observed.spans(), await observed.values("changeover.handovers")]);
    expect(seen).not.toContain("secret");
    expect(seen).not.toContain(stage.sourceEnv[JOB_SOCKET_ENV.token]);
  });

  it("that it belongs to what called it", async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    onTestFinished(() => context.disable());
    const stage = await createStage();
    const observed = observe(stage.worker);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const caller = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: "b7ad6b7169203331", traceFlags: 1 });
    const provider = new BasicTracerProvider({ spanProcessors: [] });
    const span = provider.getTracer("test").startSpan("deploy", { kind: SpanKind.SERVER }, caller);
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    onTestFinished(observeWithOpenTelemetry(stage.worker, { tracerProvider }));
    const run = context.with(trace.setSpan(context.active(), span), () => stage.handOver());
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    await run.end;
    const handover = exporter.getFinishedSpans().find(({ name }) => name === "changeover.handover");
    expect(handover?.spanContext().traceId).toBe(traceId);
    expect(handover?.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
    expect(observed.open()).toBe(0);
  });
});

describe("OpenTelemetry sees of a handover that does not complete", () => {
  it("a refusal, which is no error", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    await run.end;
    expect(observed.spans().map(({ name, error }) => [name, error])).toEqual([
      ["changeover.handover", undefined],
      ["changeover.handover.propose", undefined],
    ]);
    expect(observed.span("changeover.handover").attributes).toMatchObject({
      "changeover.outcome": "refused",
      "changeover.reason": "not now",
    });
    expect(await observed.values("changeover.handovers")).toEqual([{ attributes: { outcome: "refused" }, value: 1 }]);
  });

  it("in which phase it was aborted and why, and that clearing away took longer", async () => {
    const stage = await createStage("hangs");
    const observed = observe(stage.worker);
    const run = stage.handOver({ deadlines: { ready: 200 } });
    await untilReady(stage, run);
    await stage.clock.advance(200);
    await stage.clock.advance(50);
    run.targetPlacement.die("removed");
    await run.end;
    const reason = "the target did not report target-ready within 200 ms";
    expect(observed.span("changeover.handover")).toMatchObject({ toMs: 250, error: reason, events: ["resuming"] });
    expect(observed.span("changeover.handover").attributes).toMatchObject({
      "changeover.outcome": "aborted",
      "changeover.phase": "ready",
      "changeover.reason": reason,
      "changeover.active": "source",
    });
    expect(observed.span("changeover.handover.ready")).toMatchObject({ toMs: 200, error: reason });
    expect(observed.span("changeover.handover.propose").error).toBeUndefined();
    expect(await observed.values("changeover.handovers")).toEqual([
      { attributes: { outcome: "aborted", phase: "ready" }, value: 1 },
    ]);
  });

  it("when the phase ended of one whose source died, though nothing resumes", async () => {
    const stage = await createStage("hangs");
    const observed = observe(stage.worker);
    const run = stage.handOver({ sourceLost: "abort" });
    await untilStop(stage, run);
    await stage.clock.advance(10);
    stage.sourcePlacement.die("exited with code 1");
    await eventually(() => expect(run.targetPlacement.isRemoved).toBe(true));
    await stage.clock.advance(50);
    run.targetPlacement.die("removed");
    expect(await run.end).toMatchObject({ outcome: "aborted", active: "none" });
    expect(observed.span("changeover.handover")).toMatchObject({ toMs: 60, events: [] });
    expect(observed.span("changeover.handover.stop")).toMatchObject({ toMs: 10, error: expect.any(String) });
  });

  it("the fencing as a span of its own", async () => {
    const stage = await createStage("hangs");
    const observed = observe(stage.worker);
    const run = stage.handOver({ deadlines: { apply: 100 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(30);
    run.targetPlacement.die("killed");
    await run.end;
    expect(observed.span("changeover.handover.apply")).toMatchObject({ toMs: 100, error: expect.any(String) });
    expect(observed.span("changeover.handover.fencing")).toMatchObject({ fromMs: 100, toMs: 130, error: undefined });
    expect(observed.span("changeover.handover")).toMatchObject({ toMs: 130, error: expect.any(String) });
  });

  it("that it is indeterminate", async () => {
    const stage = await createStage("fails");
    const observed = observe(stage.worker);
    const run = stage.handOver({ deadlines: { apply: 100, fencing: 500 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(500);
    await run.end;
    expect(observed.span("changeover.handover")).toMatchObject({
      error: expect.stringContaining("the engine does not answer"),
      attributes: { "changeover.outcome": "indeterminate", "changeover.phase": "apply" },
    });
    expect(observed.span("changeover.handover").events).toContain("remove-failed");
    expect(observed.span("changeover.handover.fencing").error).toBeDefined();
    expect(await observed.values("changeover.handovers")).toEqual([
      { attributes: { outcome: "indeterminate", phase: "apply" }, value: 1 },
    ]);
  });
});

describe("OpenTelemetry counts connected instances", () => {
  it("through a handover, a reconnection and the end of the worker", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    const connected = () => observed.values("changeover.instances.connected");
    const { env, attach } = stage.worker.register("job-2");
    attach(new TestPlacement());
    const first = await ScriptedJob.connect(env);
    expect(await connected()).toEqual([{ attributes: {}, value: 1 }]);
    // The second connection takes over before the first is known to be lost.
    const source = await ScriptedJob.connect(env);
    await first.closed;
    expect(await connected()).toEqual([{ attributes: {}, value: 1 }]);

    let targetEnv: Record<string, string> = {};
    const end = stage.worker.handover("job-2", {
      placeTarget: async (request) => {
        targetEnv = request.env;
        return new TestPlacement();
      },
    });
    await source.hears("get-state");
    source.send({ type: "state", payload: null });
    await eventually(() => expect(targetEnv).not.toEqual({}));
    const target = await ScriptedJob.connect(targetEnv);
    expect(await connected()).toEqual([{ attributes: {}, value: 2 }]);
    target.send({ type: "target-ready", payload: null });
    await source.hears("cutover-ready");
    source.send({ type: "source-stopped-output", payload: null });
    await target.hears("cutover-apply");
    target.send({ type: "target-applied" });
    expect(await end).toMatchObject({ outcome: "completed" });
    await source.closed;
    await eventually(async () => expect(await connected()).toEqual([{ attributes: {}, value: 1 }]));

    target.cut();
    await eventually(async () => expect(await connected()).toEqual([{ attributes: {}, value: 0 }]));
  });

  it("and no longer once it is switched off", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    await ScriptedJob.connect(stage.worker.register("job-2").env);
    observed.stop();
    expect(await observed.values("changeover.instances.connected")).toEqual([{ attributes: {}, value: 0 }]);
  });
});

describe("switching OpenTelemetry off", () => {
  it("ends the spans that are open, once", async () => {
    const stage = await createStage();
    const observed = observe(stage.worker);
    const run = stage.handOver();
    await untilReady(stage, run);
    expect(observed.open()).toBe(2);
    observed.stop();
    observed.stop();
    expect(observed.open()).toBe(0);
    expect(observed.span("changeover.handover").events).toEqual(["no longer observed"]);
    expect(observed.span("changeover.handover").attributes).not.toHaveProperty(["changeover.outcome"]);
  });

  it("leaves no span of a handover that had begun before it was switched on", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilReady(stage, run);
    const observed = observe(stage.worker);
    target.send({ type: "abort", reason: "no memory" });
    await run.end;
    expect(observed.spans()).toEqual([]);
    expect(await observed.values("changeover.handovers")).toEqual([
      { attributes: { outcome: "aborted", phase: "ready" }, value: 1 },
    ]);
    expect(await observed.values("changeover.handover.duration")).toEqual([]);
  });
});

it("goes to the providers that the application has registered", async () => {
  const exporter = new InMemorySpanExporter();
  const stage = await createStage();
  const stop = observeWithOpenTelemetry(stage.worker);
  onTestFinished(stop);
  onTestFinished(() => {
    trace.disable();
    metrics.disable();
  });
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const run = stage.handOver();
  await stage.source.hears("get-state");
  stage.source.send({ type: "state-refused", reason: "not now" });
  await run.end;
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain("changeover.handover");
});
