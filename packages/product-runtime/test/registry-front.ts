import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Registry } from "./registry-fixture.js";

/** Answers a request in the registry's place, or returns `false` to let it through. */
export type Interception = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A proxy before a registry that can misbehave. Resolves with the host to name in its place. */
export async function frontOf(registry: Registry, intercept: Interception): Promise<string> {
  const server = createServer((request, response) => {
    if (intercept(request, response)) return;
    const { method, headers, url } = request;
    const onward = send(`http://${registry.host}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
