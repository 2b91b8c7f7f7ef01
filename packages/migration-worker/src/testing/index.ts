export type { Clock } from "../clock.js";
export type { TestSocketEvent, TestWebSocket } from "./job-web-socket.js";
export type { Deliver } from "./memory-network.js";
export { testHandover, type TestRun } from "./test-handover.js";
export type { JobInstance, TestClientOptions, TestJob } from "./test-instance.js";
export type { Crash, Fault, FrameName, MessageFault, Party, RandomFaults, TestPlan } from "./test-plan.js";
export { TestWorld, type TestWorldOptions } from "./test-world.js";
export type { Trace, TraceEntry } from "./trace.js";
export { VirtualClock } from "./virtual-clock.js";
