import type { CommandHandlers, Report } from "./command-handlers.js";
import type { HandoverEvent } from "./handover-event.js";
import type { HandoverJob } from "./handover-job.js";
import type { HandoverSchemas } from "./handover-options.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { HandlerContext } from "./migration-handlers.js";
import { isStateRefusal, refuse } from "./state-refusal.js";
import { throughJson, validated, type StandardSchema } from "./standard-schema.js";
import type { CommandFrame } from "./rules/session.js";

const NAMES = {
  "get-state": "getState",
  "initial-state": "adopt",
  "cutover-ready": "stopAt",
  "cutover-apply": "takeOver",
  abort: "resume",
  committed: "released",
} as const;

const NO_STATE = "a worker of version 1 cannot tell the target that there is no state: return {}";

const PHASES = {
  "get-state": "propose",
  "initial-state": "ready",
  "cutover-ready": "stop",
  "cutover-apply": "apply",
  committed: "commit",
} as const;

export interface DeclaredHandlersDeps<State, Position> {
  readonly job: HandoverJob<State, Position>;
  readonly schemas: HandoverSchemas<State, Position>;
  readonly emit: (event: HandoverEvent) => void;
}

/** The handlers of `connectHandover`: what the methods of the job return becomes its reports. */
export function declaredHandlers<State, Position>(deps: DeclaredHandlersDeps<State, Position>): CommandHandlers {
  const { job, schemas, emit } = deps;
  /** The migration in which the output was stopped, or may have been. */
  let stoppedIn: string | undefined;

  // What has arrived is read in a turn of its own, and an instance that was called off meanwhile must neither stop nor
  // take over: hence the looks at the signal.
  async function handle(frame: CommandFrame, context: HandlerContext, report: Report): Promise<unknown> {
    const { migrationId } = frame;
    switch (frame.type) {
      case "get-state": {
        const state = await job.getState(context);
        if (isStateRefusal(state)) return state;
        // The target would wait for a state until its deadline is over.
        if (state === null && context.epoch === undefined) return refuse(NO_STATE);
        return check("getState", "state", schemas.state, state);
      }
      case "initial-state": {
        const state = await read("state", schemas.state, frame.payload);
        context.signal.throwIfAborted();
        const payload = await job.adopt(state, context);
        report({ type: "target-ready", payload: await check("adopt", "position", schemas.position, payload) });
        break;
      }
      case "cutover-ready": {
        const position = await read("position", schemas.position, frame.payload);
        context.signal.throwIfAborted();
        stoppedIn = migrationId;
        const stopped = await job.stopAt(position, context);
        const payload = await check("stopAt", "position", schemas.position, stopped);
        report({ type: "source-stopped-output", payload });
        break;
      }
      case "cutover-apply": {
        const position = await read("position", schemas.position, frame.payload);
        context.signal.throwIfAborted();
        await job.takeOver(position, context);
        report({ type: "target-applied" });
        break;
      }
      case "abort":
        if (stoppedIn === migrationId) await job.resume(frame.reason, context);
        break;
      case "committed":
        if (stoppedIn === migrationId) await job.released?.(context);
    }
    return undefined;
  }

  return {
    names: NAMES,
    find: (frame) => (context, report) => {
      const { type, migrationId } = frame;
      if (type === "abort") emit({ type: "aborted", migrationId, reason: frame.reason });
      else emit({ type: "phase", phase: PHASES[type], migrationId });
      return handle(frame, context, report);
    },
  };
}

/** What has arrived, as the job takes it. Without a schema its author vouches for the type. */
async function read<T>(what: string, schema: StandardSchema<T> | undefined, json: unknown): Promise<T> {
  // The other instance of the job has made it.
  // oxlint-disable-next-line no-unsafe-type-assertion
  return schema ? validated(what, schema, json) : (json as T);
}

/** What is about to be sent must be what the other side takes, once it has become JSON. */
async function check<T>(method: string, what: string, schema: StandardSchema<T> | undefined, value: T): Promise<T> {
  if (value === undefined) {
    throw new MigrationClientError("invalid-payload", `it returned nothing: return the ${what}, or null`);
  }
  if (schema) await validated(what, schema, throughJson(method, value));
  return value;
}
