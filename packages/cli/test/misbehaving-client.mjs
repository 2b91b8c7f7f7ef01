// The conformance job on nothing but a WebSocket, in the plainest way. It keeps every rule, and breaks some on purpose:
// MISBEHAVIOURS names which, separated by commas.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";

const env = process.env;
const misbehaviours = new Set((env.MISBEHAVIOURS ?? "").split(","));
const does = (misbehaviour) => misbehaviours.has(misbehaviour);

let session = does("same session in every process") ? "session" : randomUUID();
let attempt = 0;
let lastSeq = does("counts from 0") ? -1 : 0;
let outbox = [];
/** The acknowledged connection. */
let link;
const migrations = new Map();
const job = { n: 0, active: undefined, handled: 0 };

function connect() {
  const url = new URL(env.NORSK_WORKER_WS_URL);
  if (does("drops the query")) url.search = "";
  const headers = does("token in a header") ? { authorization: `Bearer ${env.NORSK_WORKER_TOKEN}` } : {};
  const socket = new WebSocket(url, { headers });
  const connection = { socket, version: 0, heardAt: 0, isAsked: false, maxFrameBytes: 0, timer: undefined };
  let stableAfter;
  socket.on("error", () => {});
  socket.on("open", () => {
    if (does("new session on every connection")) session = randomUUID();
    const said = does("says no protocol") ? {} : { protocol: 2 };
    const hello = { type: "hello", token: env.NORSK_WORKER_TOKEN, ...said, session, client: "plain/1" };
    socket.send(JSON.stringify(hello));
    if (does("repeats hello")) repeatUnlessAnswered(connection, hello);
    stableAfter = setTimeout(() => (attempt = 0), 500);
  });
  socket.on("message", (data, isBinary) => receive(connection, String(data), isBinary));
  socket.on("close", (code, reason) => {
    clearTimeout(stableAfter);
    clearInterval(connection.timer);
    if (link === connection) link = undefined;
    if (does("logs the token")) process.stderr.write(`${code} ${reason} ${env.NORSK_WORKER_TOKEN}\n`);
    if (code === 4409 && !does("comes back after 4409")) return;
    if (code === 1006 && does("gives up after a lost connection")) return;
    if (code === 4401 && does("gives up after 4401")) return;
    const backoffMs = Math.random() * Math.min(500, 50 * 2 ** attempt++);
    const isSlow = [4400, 4401, 4429].includes(code);
    setTimeout(connect, does("comes back at once") ? 0 : isSlow ? 250 + Math.random() * 250 : backoffMs);
  });
}

/** Once two pings are answered, the worker has read the hello and had its turn: it takes its time on purpose. */
function repeatUnlessAnswered(connection, hello) {
  const { socket } = connection;
  socket.ping();
  socket.once("pong", () => {
    socket.ping();
    socket.once("pong", () => connection.version === 0 && socket.send(JSON.stringify(hello)));
  });
}

function receive(connection, text, isBinary) {
  let frame;
  try {
    frame = JSON.parse(text);
  } catch {
    if (does("dies of what is not JSON")) process.exit(1);
  }
  if (isBinary || typeof frame?.type !== "string") return;
  if (!does("takes only pong as a sign of life") || frame.type === "pong") {
    connection.heardAt = performance.now();
    connection.isAsked = false;
  }
  if (does("wants no unknown field") && "priority" in frame) connection.socket.close();
  switch (frame.type) {
    case "hello-ack":
      return acknowledged(connection, frame);
    case "ping":
      if (!does("answers no ping")) connection.socket.send('{"type":"pong"}');
      return;
    case "pong":
      return;
    case "report-ack":
      if (!(does("keeps what was ignored") && "ignored" in frame)) {
        outbox = outbox.filter(({ seq }) => seq !== frame.seq);
      }
      return;
    default:
      if (handlers[frame.type]) return command(connection, frame);
      if (does("ends at an unknown type")) connection.socket.close();
  }
}

function acknowledged(connection, { protocol, migration, limits, pingIntervalMs }) {
  job.active ??= migration === undefined;
  connection.version = protocol === 2 ? 2 : 1;
  connection.maxFrameBytes = does("knows no limit") ? Infinity : (limits?.maxFrameBytes ?? 8 * 2 ** 20);
  connection.heardAt = performance.now();
  link = connection;
  if (connection.version === 2 || does("pings version 1")) watch(connection, pingIntervalMs);
  const left = does("sends the newest again first") ? outbox.toReversed() : outbox;
  for (const report of left) write(report);
}

function watch(connection, intervalMs) {
  const look = () => {
    const silentMs = performance.now() - connection.heardAt;
    if (silentMs >= 2 * intervalMs && !does("keeps a silent connection")) connection.socket.terminate();
    else if (silentMs >= intervalMs && !connection.isAsked && !does("sends no ping")) {
      connection.isAsked = true;
      connection.socket.send('{"type":"ping"}');
    }
  };
  connection.timer = setInterval(look, intervalMs / 8);
}

function report(type, migrationId, fields) {
  const entry = { type, migrationId, ...fields, seq: ++lastSeq };
  outbox.push(entry);
  if (link) write(entry);
}

function write(entry) {
  const { migrationId, seq, ...frame } = entry;
  const isNumbered = link.version === 2 || does("numbers reports in version 1");
  link.socket.send(JSON.stringify(isNumbered ? { ...frame, migrationId, seq } : frame));
  if (link.version === 1 || does("forgets what it has sent")) outbox = outbox.filter((each) => each !== entry);
}

function command(connection, frame) {
  const { type, migrationId } = frame;
  const migration = migrations.get(migrationId) ?? { seen: new Set(), isAborted: false };
  migrations.set(migrationId, migration);
  const isRepeated = migration.seen.has(type) && (type !== "get-state" || connection.version === 2);
  if (isRepeated && !does(`carries out ${type} again`)) return;
  const isOver = migration.isAborted && type !== "abort";
  if (isOver && !does("carries out what was aborted")) return;
  migration.seen.add(type);
  job.handled += 1;
  void handlers[type](frame, isOver ? { isAborted: false } : migration, connection);
}

const position = () => ({ n: job.n, active: job.active, handled: job.handled });

const handlers = {
  "get-state": async ({ migrationId }, _migration, asked) => {
    await sleep(Number(env.CONFORMANCE_STATE_DELAY_MS ?? 0));
    const isLate = link !== asked || asked.socket.readyState !== WebSocket.OPEN;
    if (isLate && asked.version === 1 && !does("answers late in version 1")) return;
    if (isLate && asked.version === 2 && does("forgets an answer that it has begun")) return;
    if (env.CONFORMANCE_REFUSE) {
      const reason = does("refuses for a reason of its own") ? "no" : env.CONFORMANCE_REFUSE;
      report("state-refused", migrationId, { reason });
      return;
    }
    const payload = { ...position(), filler: "x".repeat(Number(env.CONFORMANCE_FILLER_BYTES ?? 0)) };
    if (JSON.stringify(payload).length + 200 > asked.maxFrameBytes) {
      report("state-refused", migrationId, { reason: "the state is too large" });
      return;
    }
    report("state", migrationId, { payload });
    if (does("answers the third question twice") && migrationId === "m-3") report("state", migrationId, { payload });
  },
  "initial-state": async ({ migrationId, payload }, migration) => {
    await sleep(payload.delayMs ?? 0);
    if (migration.isAborted) return;
    if (!does("is ready from the beginning")) job.n = payload.n;
    if (does("takes over when it is ready")) job.active = true;
    report("target-ready", migrationId, { payload: position() });
  },
  "cutover-ready": async ({ migrationId, payload }, migration) => {
    await sleep(payload.delayMs ?? 0);
    if (migration.isAborted && !does("stops after an abort")) return;
    if (payload.abort !== undefined) {
      if (!does("gives up without a word")) report("abort", migrationId, { reason: payload.abort });
      return;
    }
    if (!does("stops before the position")) job.n = Math.max(job.n, payload.n);
    job.active = false;
    report("source-stopped-output", migrationId, { payload: position() });
  },
  "cutover-apply": async ({ migrationId, payload }, migration) => {
    await sleep(payload.delayMs ?? 0);
    if (migration.isAborted) return;
    job.n = payload.n;
    job.active = true;
    report("target-applied", migrationId, {});
  },
  abort: (_frame, migration) => {
    migration.isAborted = true;
    if (env.NORSK_RUNTIME_ROLE === "source" && !does("does not resume")) job.active = true;
  },
  committed: () => {},
};

connect();
