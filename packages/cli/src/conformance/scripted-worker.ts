import { once } from "node:events";
import { WebSocketServer } from "ws";
import { Inbox } from "./inbox.js";
import { JobConnection } from "./job-connection.js";

/** Part of the URL that a client has to keep. */
const path = "/jobs?conformance=1";

/** A worker on a real socket that does nothing on its own: a rule says each step. */
export class ScriptedWorker {
  readonly url: string;
  readonly path = path;
  readonly connections: Inbox<JobConnection>;
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer, port: number, connections: Inbox<JobConnection>) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${port}${path}`;
    this.connections = connections;
  }

  /** Starts one; each line of what happens on its connections goes to `log`. */
  static async listen(log: (line: string) => void): Promise<ScriptedWorker> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    const connections = new Inbox<JobConnection>();
    server.on("connection", (socket, { url = "", rawHeaders }) => {
      log("C connects");
      connections.put(new JobConnection(socket, { path: url, headers: rawHeaders.join("\n") }, log));
    });
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return new ScriptedWorker(server, address.port, connections);
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
