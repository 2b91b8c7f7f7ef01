// Many jobs in one process: each connects, says hello, and answers pings. Tells on its standard output how many are
// connected, and how many of them have been lost.
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

const [url] = process.argv.slice(2);
const inParallel = 200;
// Addresses of their own: finding a free port takes the kernel long where many of an address are taken.
const addresses = Array.from({ length: 8 }, (_, i) => `127.0.0.${i + 2}`);
let connected = 0;
let lost = 0;

const connect = (token) =>
  new Promise((resolve, reject) => {
    const localAddress = addresses[connected % addresses.length];
    const socket = new WebSocket(url, { perMessageDeflate: false, localAddress });
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "hello", token, protocol: 2, session: token.slice(0, 8), client: "crowd/1" }));
    });
    socket.on("message", (data) => {
      const text = String(data);
      if (text.startsWith('{"type":"ping"')) socket.send('{"type":"pong"}');
      else if (text.startsWith('{"type":"hello-ack"')) resolve(connected++);
    });
    socket.on("error", reject);
    socket.on("close", () => lost++);
  });

const tokens = [];
for await (const line of createInterface({ input: process.stdin })) tokens.push(line);
const todo = tokens.values();
const work = async () => {
  for (const token of todo) await connect(token);
};
await Promise.all(Array.from({ length: inParallel }, work));
setInterval(() => console.log(JSON.stringify({ connected, lost })), 500);
