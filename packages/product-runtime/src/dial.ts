import { IncomingMessage } from "node:http";
import type Docker from "dockerode";

interface StreamRequest {
  readonly method: "GET" | "POST";
  /** With a `?` at its end when there is a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request and resolves with the response as soon as its head has arrived: for an endpoint that answers later,
 * such as `wait`, this is when the engine has taken note. dockerode's own methods hide that moment. When the signal
 * aborts, the response is destroyed.
 */
export function dialStream(docker: Docker, request: StreamRequest): Promise<IncomingMessage> {
  const { method, path, query, signal } = request;
  return new Promise((resolve, reject) => {
    docker.modem.dial(
      {
        method,
        path,
        options: { ...query },
        isStream: true,
        statusCodes: { 200: true },
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
      (error, response) => {
        if (!(response instanceof IncomingMessage)) {
          reject(error ?? new Error("the engine sent no response"));
          return;
        }
        const destroy = (): void => void response.destroy();
        signal?.addEventListener("abort", destroy);
        response.once("close", () => signal?.removeEventListener("abort", destroy));
        resolve(response);
      },
    );
  });
}
