import { build } from "esbuild";
import { createServer } from "node:http";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Page {
  readonly origin: string;
  close(): Promise<void>;
}

// The icon keeps the browser from asking for one.
const HTML = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/job.js"></script>';

/** Serves the job, bundled as a product would bundle it, to a browser on this machine. */
export async function servePage(): Promise<Page> {
  const entry = fileURLToPath(new URL("job.js", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const server = createServer(({ url }, response) => {
    const isScript = url === "/job.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html").end(isScript ? script : HTML);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
