export { ManualClock } from "./manual-clock.js";
export { eventually } from "./eventually.js";
