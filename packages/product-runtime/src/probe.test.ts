import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { probe } from "./probe.js";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

async function listen(created: Server): Promise<{ host: string; port: number }> {
  server = created;
  await new Promise<void>((resolve) => created.listen(0, "127.0.0.1", resolve));
  const { port } = created.address() as AddressInfo;
  return { host: "127.0.0.1", port };
}

const answering = (listener: RequestListener) => listen(createServer(listener));
const { signal } = new AbortController();

it.each([200, 204, 299])("is ready with %i", async (status) => {
  const at = await answering((_, response) => void response.writeHead(status).end());
  await expect(probe(at, "/", signal)).resolves.toEqual({ isReady: true });
});

it.each([302, 404, 503])("is not ready with %i", async (status) => {
  const at = await answering((_, response) => void response.writeHead(status).end());
  await expect(probe(at, "/", signal)).resolves.toEqual({ isReady: false, answer: `HTTP ${status}` });
});

it("asks for the path, and is ready before a body that never ends", async () => {
  let asked: string | undefined;
  const at = await answering((request, response) => {
    asked = request.url;
    response.write("…");
  });
  await expect(probe(at, "/healthz?deep=1", signal)).resolves.toEqual({ isReady: true });
  expect(asked).toBe("/healthz?deep=1");
});

it("is not ready when something accepts and hangs up, as the engine's proxy does", async () => {
  const at = await listen(createTcpServer((socket) => socket.destroy()));
  await expect(probe(at, "/", signal)).resolves.toMatchObject({
    isReady: false,
    answer: expect.stringMatching("no answer"),
    isRefused: true,
  });
});

it("ends with its signal", async () => {
  const controller = new AbortController();
  const at = await listen(
    createTcpServer((socket) => socket.on("data", () => controller.abort()).on("error", () => {})),
  );
  await expect(probe(at, "/", controller.signal)).resolves.toMatchObject({ isReady: false });
});

it("is not ready when nothing listens", async () => {
  const at = await answering(() => {});
  server?.close();
  await expect(probe(at, "/", signal)).resolves.toMatchObject({ isReady: false, isRefused: true });
});
