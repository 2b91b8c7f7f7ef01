import type { Placement } from "@changeover/migration-worker";
import { textOf, type DevTools } from "./dev-tools.js";

/** Hears what a page says. */
export interface PageListener {
  /** A line that it has written to its console. */
  line(text: string): void;
  /** An exception or a rejection that nobody handled, or that the page has crashed. */
  complaint(text: string): void;
}

/** Opens a page, with an environment as `globalThis.jobEnvironment`. */
export async function openPage(
  devTools: DevTools,
  url: string,
  env: Record<string, string>,
  listener: PageListener,
): Promise<Placement> {
  const targetId = textOf(await devTools.call("Target.createTarget", { url: "about:blank" }), "targetId");
  const attached = await devTools.call("Target.attachToTarget", { targetId, flatten: true });
  const session = textOf(attached, "sessionId");
  let leave: (end: { reason: string }) => void = () => {};
  const gone = new Promise<{ reason: string }>((resolve) => {
    leave = resolve;
  });
  devTools.listen(session, (method, params) => {
    if (method === "Runtime.consoleAPICalled") listener.line(consoleLine(params));
    if (method === "Runtime.exceptionThrown") listener.complaint(JSON.stringify(params));
    if (method !== "Inspector.targetCrashed") return;
    listener.complaint("the page crashed");
    leave({ reason: "crashed" });
  });
  await devTools.call("Runtime.enable", {}, session);
  await devTools.call("Page.enable", {}, session);
  const source = `globalThis.jobEnvironment = ${JSON.stringify(env)};`;
  await devTools.call("Page.addScriptToEvaluateOnNewDocument", { source }, session);
  await devTools.call("Page.navigate", { url }, session);
  let removed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    // Once this is answered, everything that the page has printed before has arrived.
    await devTools.call("Runtime.evaluate", { expression: "0" }, session);
    await devTools.call("Target.closeTarget", { targetId });
    leave({ reason: "the page was closed" });
  };
  return {
    gone,
    // Once only: a command to a page that is being closed may never be answered.
    remove: async () => {
      removed ??= Promise.race([close(), gone]);
      await removed;
    },
  };
}

function consoleLine({ args }: Record<string, unknown>): string {
  const [first]: unknown[] = Array.isArray(args) ? args : [];
  return typeof first === "object" && first !== null && "value" in first ? String(first.value) : JSON.stringify(args);
}
