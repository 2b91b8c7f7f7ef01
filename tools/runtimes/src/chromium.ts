import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DevTools, textOf } from "./dev-tools.js";
import { EventReader } from "./event-reader.js";
import { servePage } from "./page.js";
import type { Instance, Runtime } from "./runtime.js";

const ARGS = [
  "--headless=new",
  "--remote-debugging-port=0",
  "--no-first-run",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-background-networking",
  "--disable-component-update",
  // Of several pages only one is in front, and the timers of the others would tick once in a second.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // Chromium refuses to run as root with it.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

const START_TIMEOUT_MS = 60_000;

/** A headless browser whose jobs are pages. */
export async function chromium(binary: string): Promise<Runtime> {
  const page = await servePage();
  const profile = await mkdtemp(join(tmpdir(), "changeover-chromium-"));
  const child = spawn(binary, [...ARGS, `--user-data-dir=${profile}`], { stdio: ["ignore", "ignore", "pipe"] });
  const devTools = await DevTools.connect(await addressOf(child));
  const version = textOf(await devTools.call("Browser.getVersion"), "product");
  return {
    name: "Chromium",
    version: version.replace(/^.*\//, ""),
    hasWebSocket: true,
    origin: page.origin,
    start: (env) => openPage(devTools, `${page.origin}/`, env),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      devTools.close();
      await page.close();
      // Its helpers end a moment later, and write until then.
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const late = setTimeout(() => reject(new Error(`the browser did not start: ${output}`)), START_TIMEOUT_MS);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the browser exited with code ${code}: ${output}`)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = /DevTools listening on (\S+)/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
  });
}

async function openPage(devTools: DevTools, url: string, env: Record<string, string>): Promise<Instance> {
  const reader = new EventReader();
  const targetId = textOf(await devTools.call("Target.createTarget", { url: "about:blank" }), "targetId");
  const attached = await devTools.call("Target.attachToTarget", { targetId, flatten: true });
  const session = textOf(attached, "sessionId");
  let leave: (end: { reason: string }) => void = () => {};
  const gone = new Promise<{ reason: string }>((resolve) => {
    leave = resolve;
  });
  devTools.listen(session, (method, params) => {
    // Console lines of the page's own, and exceptions and rejections that nobody handled.
    if (method === "Runtime.consoleAPICalled") reader.line(consoleLine(params));
    if (method === "Runtime.exceptionThrown") reader.complaint(JSON.stringify(params));
    if (method !== "Inspector.targetCrashed") return;
    reader.complaint("the page crashed");
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
    events: reader.events,
    complaints: reader.complaints,
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
