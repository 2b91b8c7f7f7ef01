import { once } from "node:events";
import { WebSocket } from "ws";

export type DevToolsListener = (method: string, params: Record<string, unknown>) => void;

/** The part of a browser's DevTools protocol that is needed: commands, and events by session. */
export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (result: object) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Map<string, DevToolsListener>();
  #lastId = 0;

  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url);
    await once(socket, "open");
    return new DevTools(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(JSON.parse(String(data))));
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser has ended"));
    });
  }

  listen(session: string, listener: DevToolsListener): void {
    this.#listeners.set(session, listener);
  }

  async call(method: string, params: object = {}, session?: string): Promise<object> {
    if (this.#socket.readyState !== WebSocket.OPEN) throw new Error("the browser has ended");
    const id = ++this.#lastId;
    const answer = new Promise<object>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params, sessionId: session }));
    return answer;
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: {
    id?: number;
    result?: object;
    error?: { message: string };
    method?: string;
    params?: Record<string, unknown>;
    sessionId?: string;
  }): void {
    if (message.id === undefined) {
      this.#listeners.get(message.sessionId ?? "")?.(message.method ?? "", message.params ?? {});
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result ?? {});
  }
}

/** A text field of an answer. */
export function textOf(answer: object, field: string): string {
  const value: unknown = Reflect.get(answer, field);
  if (typeof value !== "string") throw new TypeError(`the browser's answer has no ${field}: ${JSON.stringify(answer)}`);
  return value;
}
