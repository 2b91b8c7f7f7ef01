import { createServer, type RequestListener } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { connectEngine } from "./engine.js";
import { engineAddresses } from "./engine-address.js";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "engine-"));
  cleanUps.push(() => rm(dir, { recursive: true }));
  return dir;
}

/** Something that listens where an engine would. */
async function serve(at: string | number, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) =>
    server.listen(typeof at === "number" ? { port: at, host: "127.0.0.1" } : at, resolve),
  );
  cleanUps.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const engine: RequestListener = (_, response) => void response.end('{"Version":"99.1.2"}');

describe("connectEngine", () => {
  it("takes the engine at DOCKER_HOST, by socket or by network", async () => {
    const socket = join(await tempDir(), "docker.sock");
    await serve(socket, engine);
    expect(await connectEngine({ env: { DOCKER_HOST: `unix://${socket}` } })).toMatchObject({
      description: `Docker 99.1.2 at unix://${socket}`,
      isLocal: true,
      host: "127.0.0.1",
    });
    const port = await serve(0, engine);
    expect(await connectEngine({ env: { DOCKER_HOST: `tcp://127.0.0.1:${port}` } })).toMatchObject({
      description: `Docker 99.1.2 at tcp://127.0.0.1:${port}`,
      isLocal: false,
      host: "127.0.0.1",
    });
  });

  it("lists what it tried at DOCKER_HOST, why it failed and what to do", async () => {
    const socket = join(await tempDir(), "docker.sock");
    await expect(connectEngine({ env: { DOCKER_HOST: `unix://${socket}` } })).rejects.toMatchObject({
      code: "engine-unreachable",
      message:
        `no Docker engine answers. Tried what DOCKER_HOST says:\n  - unix://${socket}: no such file\n` +
        'Start Docker ("sudo systemctl start docker", or Docker Desktop), or set DOCKER_HOST to where it listens.\n' +
        'If it runs and permission is denied, join its group: "sudo usermod -aG docker $USER", then log in again.',
    });
  });

  it("says when nothing listens, when nothing answers, and when something else does", async () => {
    const port = await serve(0, () => {});
    await expect(connectEngine({ env: { DOCKER_HOST: `tcp://127.0.0.1:${port}` }, timeoutMs: 50 })).rejects.toThrow(
      `- tcp://127.0.0.1:${port}: no answer within 50 ms`,
    );
    const other = await serve(0, (_, response) => void response.end("{}"));
    await expect(connectEngine({ env: { DOCKER_HOST: `http://127.0.0.1:${other}` } })).rejects.toThrow(
      `- http://127.0.0.1:${other}: what answers there is not a Docker engine`,
    );
    const page = await serve(0, (_, response) => void response.end("<html>"));
    await expect(connectEngine({ env: { DOCKER_HOST: `http://127.0.0.1:${page}` } })).rejects.toThrow(
      `- http://127.0.0.1:${page}: what answers there is not a Docker engine`,
    );
    const file = join(await tempDir(), "docker.sock");
    await writeFile(file, "");
    await expect(connectEngine({ env: { DOCKER_HOST: `unix://${file}` } })).rejects.toThrow(
      `- unix://${file}: connection refused, so nothing listens there`,
    );
  });

  it.each([
    [404, "", "answered with HTTP 404: that is no Docker engine"],
    [404, "<html>not here</html>", "answered with HTTP 404: that is no Docker engine"],
    [403, '{"message":"not by you"}', "answered with HTTP 403: not by you"],
    [503, "", "answered with HTTP 503"],
  ])("gives a reason when what listens answers with %i and the body %j", async (status, body, why) => {
    const port = await serve(0, (_, response) => void response.writeHead(status).end(body));
    await expect(connectEngine({ env: { DOCKER_HOST: `tcp://127.0.0.1:${port}` } })).rejects.toMatchObject({
      code: "engine-unreachable",
      message: expect.stringContaining(`\n  - tcp://127.0.0.1:${port}: ${why}\n`),
    });
  });

  it.each(["ssh://host", "docker.sock", "unix://", "tcp://", "npipe:////./pipe/docker_engine"])(
    "says which forms DOCKER_HOST can have when it is %s",
    async (dockerHost) => {
      await expect(connectEngine({ env: { DOCKER_HOST: dockerHost } })).rejects.toMatchObject({
        code: "invalid-option",
        message: expect.stringContaining(`DOCKER_HOST is "${dockerHost}"; it can have the forms unix:///path`),
      });
    },
  );

  it("refuses a time-out that is none", async () => {
    await expect(connectEngine({ timeoutMs: 0 })).rejects.toThrow("timeoutMs must be above 0, is 0");
  });
});

describe("engineAddresses", () => {
  it("looks at the usual sockets in their order", () => {
    const urls = engineAddresses({ XDG_RUNTIME_DIR: "/run/user/7", HOME: "/home/u" }).map(({ url }) => url);
    expect(urls).toEqual([
      "unix:///var/run/docker.sock",
      "unix:///run/user/7/docker.sock",
      "unix:///home/u/.docker/run/docker.sock",
    ]);
  });

  it("knows the ports of an engine, and TLS", () => {
    const optionsOf = (env: NodeJS.ProcessEnv) => engineAddresses(env)[0]?.options;
    expect(optionsOf({ DOCKER_HOST: "tcp://h" })).toMatchObject({ host: "h", port: 2375, protocol: "http" });
    expect(optionsOf({ DOCKER_HOST: "https://h" })).toMatchObject({ host: "h", port: 2376, protocol: "https" });
    expect(optionsOf({ DOCKER_HOST: "tcp://h:1", DOCKER_TLS_VERIFY: "1" })).toMatchObject({
      port: 1,
      protocol: "https",
    });
  });

  it("says which certificates cannot be read", () => {
    const env = { DOCKER_HOST: "https://h", DOCKER_CERT_PATH: "/nowhere" };
    expect(() => engineAddresses(env)).toThrow('DOCKER_CERT_PATH is "/nowhere", and ca.pem, cert.pem and key.pem');
  });
});
