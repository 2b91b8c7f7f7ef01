import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DevTools, textOf } from "./dev-tools.js";
import { EventReader } from "./event-reader.js";
import { openPage } from "./open-page.js";
import { servePages } from "./pages.js";
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

/** A program that opens a page and is there as long as the page is: its arguments are the browser and the page. */
const PAGE_PROCESS = fileURLToPath(new URL("page-process.js", import.meta.url));

/** A headless browser whose jobs are pages. */
export async function chromium(binary: string): Promise<Runtime> {
  const pages = await servePages();
  const profile = await mkdtemp(join(tmpdir(), "changeover-chromium-"));
  const child = spawn(binary, [...ARGS, `--user-data-dir=${profile}`], { stdio: ["ignore", "ignore", "pipe"] });
  const address = await addressOf(child);
  const devTools = await DevTools.connect(address);
  const version = textOf(await devTools.call("Browser.getVersion"), "product");
  return {
    name: "Chromium",
    version: version.replace(/^.*\//, ""),
    hasWebSocket: true,
    origin: pages.origin,
    conformanceCommand: [process.execPath, PAGE_PROCESS, address, pages.conformanceJob],
    start: (env) => startPage(devTools, pages.job, env),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      devTools.close();
      await pages.close();
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

async function startPage(devTools: DevTools, url: string, env: Record<string, string>): Promise<Instance> {
  const reader = new EventReader();
  const page = await openPage(devTools, url, env, {
    line: (text) => reader.line(text),
    complaint: (text) => reader.complaint(text),
  });
  return { ...page, events: reader.events, complaints: reader.complaints };
}
