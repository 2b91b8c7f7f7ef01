import { WebSocket } from "ws";

const socket = new WebSocket(process.env["NORSK_WORKER_WS_URL"]);
socket.on("open", () => socket.send(JSON.stringify({ type: "hello", token: process.env["NORSK_WORKER_TOKEN"] })));
socket.on("message", (data) => {
  if (JSON.parse(data.toString()).type === "hello-ack") process.exit();
});
