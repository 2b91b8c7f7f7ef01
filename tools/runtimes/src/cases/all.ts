import type { Case } from "../case.js";
import { closing } from "./closing.js";
import { connections } from "./connections.js";
import { frames } from "./frames.js";
import { handovers } from "./handovers.js";
import { version1 } from "./version-1.js";

export const CASES: readonly Case[] = [...handovers, ...connections, ...frames, ...version1, ...closing];
