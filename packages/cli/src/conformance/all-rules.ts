import type { Rule } from "./rule.js";
import { helloRules } from "./rules/hello.js";
import { livenessRules } from "./rules/liveness.js";
import { reconnectRules } from "./rules/reconnect.js";
import { repeatedCommandRules } from "./rules/repeated-commands.js";
import { reportRules } from "./rules/reports.js";
import { sourceRules } from "./rules/source.js";
import { targetRules } from "./rules/target.js";
import { toleranceRules } from "./rules/tolerance.js";
import { versionOneRules } from "./rules/version-one.js";

/** In the order of their numbers. */
export const allRules: readonly Rule[] = [
  ...helloRules,
  ...sourceRules,
  ...targetRules,
  ...repeatedCommandRules,
  ...reportRules,
  ...livenessRules,
  ...toleranceRules,
  ...reconnectRules,
  ...versionOneRules,
];
