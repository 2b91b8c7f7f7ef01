// A job that knows nothing of this project but the protocol, in its first version.
import { WebSocket } from "ws";

const { NORSK_WORKER_WS_URL, NORSK_WORKER_TOKEN, NORSK_RUNTIME_ROLE } = process.env;
process.stdout.write(`speaking version 1, as ${NORSK_RUNTIME_ROLE}\n`);
const socket = new WebSocket(NORSK_WORKER_WS_URL);
const send = (frame) => socket.send(JSON.stringify(frame));

socket.on("open", () => send({ type: "hello", token: NORSK_WORKER_TOKEN }));
socket.on("message", (data) => {
  const { type, payload } = JSON.parse(String(data));
  if (type === "get-state") send({ type: "state", payload: { scene: 3 } });
  if (type === "initial-state") send({ type: "target-ready", payload });
  if (type === "cutover-ready") send({ type: "source-stopped-output", payload });
  if (type === "cutover-apply") send({ type: "target-applied" });
});
socket.on("error", () => {});
setInterval(() => {}, 1_000);
