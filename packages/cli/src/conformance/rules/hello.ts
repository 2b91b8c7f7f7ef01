import { CLOSE_CODE, LIMITS } from "@changeover/migration-protocol";
import { absent, atLeast, someText } from "../matches.js";
import type { Rule } from "../rule.js";
import { Violation } from "../violation.js";

/** How a client comes and says who it is. */
export const helloRules: readonly Rule[] = [
  {
    number: 1,
    title: "connects to the URL as given and says hello as its first frame within 10 s",
    paragraph: "`hello` — job to worker",
    check: async (stage) => {
      const connection = await stage.connection();
      const { path } = connection.request;
      if (path !== stage.path) throw new Violation(`a connection to ${stage.path}`, path);
      await connection.expect("hello", {}, LIMITS.helloTimeoutMs);
    },
  },
  {
    number: 2,
    title: "says hello once, and nothing else before hello-ack",
    paragraph: "`hello` — job to worker",
    check: async (stage) => {
      const connection = await stage.connection();
      await connection.expect("hello");
      await connection.expectQuiet(700);
      connection.acknowledge();
      await connection.expectQuiet();
    },
  },
  {
    number: 3,
    title: "sends the token in hello, and shows it nowhere else: not in a URL, a header, a log or an error",
    paragraph: "Connection",
    check: async (stage) => {
      const connection = await stage.connection();
      const { token } = await connection.expect("hello");
      if (token !== stage.token) throw new Violation("the token of the environment", "another one");
      connection.close(CLOSE_CODE.unknownToken, "unknown token");
      const next = await stage.open();
      // What the client has written before it answers has been read by then.
      await next.expectQuiet();
      for (const { path, headers } of [connection.request, next.request]) {
        if (path.includes(stage.token)) throw new Violation("a URL without the token", "one that shows it");
        if (headers.includes(stage.token)) throw new Violation("headers without the token", "one that shows it");
      }
      if (stage.output.includes(stage.token)) throw new Violation("an output without the token", "one that shows it");
    },
  },
  {
    number: 4,
    title: "says protocol 2, a session and its name in a hello of at most 4 KiB",
    paragraph: "`hello` — job to worker",
    check: async (stage) => {
      const connection = await stage.connection();
      const hello = await connection.expect("hello", {
        protocol: atLeast(2),
        session: someText,
        client: someText,
        migrationId: absent,
        seq: absent,
      });
      const bytes = Buffer.byteLength(JSON.stringify(hello));
      if (bytes > LIMITS.maxHelloBytes) {
        throw new Violation(`a hello of at most ${LIMITS.maxHelloBytes} bytes`, `one of ${bytes}`);
      }
    },
  },
  {
    number: 5,
    title: "keeps its session for its life, and another process has another one",
    paragraph: "`hello` — job to worker",
    check: async (stage) => {
      const connection = await stage.connection();
      const { session } = await connection.expect("hello", { session: someText });
      connection.acknowledge();
      stage.drop(connection);
      const again = await stage.connection();
      await again.expect("hello", { session: String(session) });
      again.acknowledge();
      stage.startClient();
      const other = await stage.connection();
      const otherHello = await other.expect("hello", { session: someText });
      if (otherHello["session"] === session) throw new Violation("another session in another process", "the same one");
    },
  },
];
