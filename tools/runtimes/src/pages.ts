import { build } from "esbuild";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

export interface Pages {
  readonly origin: string;
  /** The address of the page that runs the job. */
  readonly job: string;
  /** The same for the job of a conformance run. */
  readonly conformanceJob: string;
  close(): Promise<void>;
}

/** Serves the jobs, bundled as a product would bundle them, to a browser on this machine. */
export async function servePages(): Promise<Pages> {
  const scripts = new Map<string, string>(
    await Promise.all(
      ["job", "conformance-job"].map(async (name) => [`/${name}.js`, await bundle(`${name}.js`)] as const),
    ),
  );
  const server = createServer(({ url = "" }, response) => {
    const script = scripts.get(url);
    const type = script === undefined ? "text/html" : "text/javascript";
    response.setHeader("content-type", type).end(script ?? pageOf(url));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    origin,
    job: `${origin}/job`,
    conformanceJob: `${origin}/conformance-job`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

function pageOf(path: string): string {
  // The icon keeps the browser from asking for one.
  return `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${path}.js"></script>`;
}
