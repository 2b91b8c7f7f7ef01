import { connectMigration, stateRefusal, type HandlerContext } from "@changeover/migration-client";
import { JOB_PLAN_ENV, type JobEvent, type JobPlan } from "./job-plan.js";
import { pageEnvironment } from "./page-environment.js";

// The program under test, the same on every runtime: it may use only what all of them have.
const env = pageEnvironment;
const plan: JobPlan = JSON.parse((env ?? process.env)[JOB_PLAN_ENV] ?? "{}");

// The only way out that a page and a process have in common.
// oxlint-disable-next-line no-console
const tell = (event: JobEvent): void => console.log(JSON.stringify(event));

function told(handler: string, migrationId: string, { epoch }: HandlerContext): void {
  tell({ type: "call", handler, migrationId, ...(epoch === undefined ? {} : { epoch }) });
}

function state(): unknown {
  if (plan.state === undefined) return position;
  if (plan.state === "refusal") return stateRefusal("not now");
  return plan.state === "bigint" ? { position: 1n } : "x".repeat(plan.state.chars);
}

tell({ type: "start", hasWebSocket: typeof globalThis.WebSocket === "function" });
let position = 0;
let isActive = false;
const client = connectMigration(
  {
    onGetState(migrationId, context) {
      told("onGetState", migrationId, context);
      return state();
    },
    onInitialState(payload, migrationId, context) {
      told("onInitialState", migrationId, context);
      if (typeof payload === "number") position = payload;
      if (plan.readyChars === undefined) client.reportReady(position);
    },
    onCutoverReady(_payload, migrationId, context) {
      told("onCutoverReady", migrationId, context);
      isActive = false;
      client.reportStoppedOutput(position);
    },
    onCutoverApply(stoppedAt, migrationId, context) {
      told("onCutoverApply", migrationId, context);
      if (plan.isMute) return;
      position = Number(stoppedAt);
      isActive = true;
      client.reportApplied();
    },
    onAbort(_reason, migrationId, context) {
      told("onAbort", migrationId, context);
      isActive = client.role === "source";
    },
    onCommitted: (migrationId, context) => told("onCommitted", migrationId, context),
  },
  env,
  {
    reconnectMinMs: plan.reconnectMinMs ?? 5,
    reconnectMaxMs: plan.reconnectMaxMs ?? 50,
    unref: plan.unref,
    log(line) {
      tell({ type: "log", line });
      // Not at once: a client that logs is in the middle of something.
      if (plan.closeOn !== undefined && line.includes(plan.closeOn)) setTimeout(() => client.close(), 0);
    },
  },
);

if (plan.writes) {
  setInterval(() => {
    if (isActive) tell({ type: "wrote", position: position++ });
  }, 5);
}
async function begin(): Promise<void> {
  try {
    const role = await client.ready;
    tell({ type: "ready", role });
    if (role === "source") isActive = true;
    else if (plan.readyChars !== undefined) client.reportReady("x".repeat(plan.readyChars));
  } catch {
    // It was closed before: the case wanted it so.
  }
}

// Not awaited: a process that ends while a module waits ends with an error.
void begin();
