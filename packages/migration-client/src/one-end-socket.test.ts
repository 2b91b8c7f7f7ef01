import { expect, test } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import { oneEndSocket, type SocketEnd } from "./one-end-socket.js";

function open() {
  const seen: string[] = [];
  const ends: SocketEnd[] = [];
  const fake = Object.assign(new FakeWebSocket("ws://worker.test/"), {
    terminated: 0,
    terminate: () => void (fake.terminated += 1),
  });
  const socket = oneEndSocket(fake, {
    onOpen: () => seen.push("open"),
    onText: (text = "unreadable") => seen.push(text),
    onEnd: (end) => ends.push(end),
  });
  return { socket, fake, seen, ends };
}

test("an error without a close is the end, and the socket is closed", () => {
  const { fake, ends } = open();
  fake.fireError("connect ECONNREFUSED");
  expect(ends).toEqual([{ reason: "connect ECONNREFUSED" }]);
  expect(fake.closes).toEqual([undefined]);
});

test("an error without a message is an end that says something", () => {
  const { fake, ends } = open();
  fake.fireError();
  expect(ends).toEqual([{ reason: "the socket failed" }]);
});

test("errors, closes and time-outs after the first end change nothing", () => {
  const { socket, fake, seen, ends } = open();
  fake.fireError("one");
  fake.fireError("two");
  fake.fireClose(1006);
  fake.fireOpen();
  fake.fireMessage("late");
  socket.fail("late");
  expect(ends).toEqual([{ reason: "one" }]);
  expect(seen).toEqual([]);
});

test("a close is an end with its code and reason", () => {
  const { fake, ends } = open();
  fake.fireClose(1012, "restarting");
  expect(ends).toEqual([{ code: 1012, reason: 'closed with 1012 ("restarting")' }]);
  expect(fake.closes).toEqual([]);
});

test("a time-out is an end and cuts the connection", () => {
  const { socket, fake, ends } = open();
  socket.fail("no connection");
  expect(ends).toEqual([{ reason: "no connection" }]);
  expect(fake.terminated).toBe(1);
});

test("closing it while it connects is no end to hear of, and the error that ws then emits has a listener", () => {
  const { socket, fake, ends } = open();
  let gone = 0;
  socket.close(() => (gone += 1));
  expect(gone).toBe(0);
  fake.fireError("WebSocket was closed before the connection was established");
  fake.fireClose(1006);
  expect(fake.closes).toEqual([1000]);
  expect(gone).toBe(1);
  expect(ends).toEqual([]);
});

test("a closed socket is gone with the close of the other side, and with being abandoned", () => {
  const { socket, fake } = open();
  const gone: string[] = [];
  socket.close(() => gone.push("closed"));
  fake.fireClose(1000);
  socket.close(() => gone.push("closed again"));
  expect(gone).toEqual(["closed", "closed again"]);
  expect(fake.terminated).toBe(0);

  const silent = open();
  silent.socket.close(() => gone.push("abandoned"));
  silent.socket.abandon();
  expect(gone).toEqual(["closed", "closed again", "abandoned"]);
  expect(silent.fake.terminated).toBe(1);
});

test("nothing is sent after the end", () => {
  const { socket, fake } = open();
  expect(socket.send("a")).toBe(true);
  fake.fireClose(1006);
  expect(socket.send("b")).toBe(false);
  expect(fake.sent).toEqual(["a"]);
});

test("a send that throws is the end", () => {
  const { socket, fake, ends } = open();
  fake.sendError = new Error("not open");
  expect(socket.send("a")).toBe(false);
  expect(ends).toEqual([{ reason: "not open" }]);
});

test("binary messages are text if they are an ArrayBuffer of UTF-8, and are not made into text otherwise", () => {
  const { fake, seen } = open();
  expect(fake.binaryType).toBe("arraybuffer");
  fake.fireMessage(new TextEncoder().encode("grüß").buffer);
  fake.fireMessage(new Blob(["x"]));
  fake.fireMessage(new Uint8Array([0x22, 0xff, 0x22]).buffer);
  fake.fireMessage(["x"]);
  expect(seen).toEqual(["grüß", "unreadable", "unreadable", "unreadable"]);
});
