// One-line changes to rules that ship, each of which some check must notice: the `line` stands in `file` (below
// `packages/`) exactly once, and `by` names the package and the test files that are to notice it.
const table = "migration-worker/src/handover/transition-table.ts";
const rules = "migration-worker/src/handover/rules.ts";
const transition = "migration-worker/src/handover/transition.ts";
const job = "migration-worker/src/job/job-transition.ts";
const record = "migration-worker/src/job/journal-record.ts";
const session = "migration-client/src/rules/session.ts";
const client = "migration-client/src/rules/client-transition.ts";
const queue = "migration-client/src/rules/task-queue.ts";

const model = ["migration-worker", "test/model.test.ts"];
const worker = (...files) => ["migration-worker", ...files.map((file) => `test/${file}.test.ts`)];
const clientTests = (...files) => ["migration-client", ...files.map((file) => `src/${file}.test.ts`)];

export const mutants = [
  {
    name: "skip the fence when the target is late",
    file: table,
    line: 'cancel: "refuse-to-cancel",\n    deadline: "fence"',
    becomes: 'cancel: "refuse-to-cancel",\n    deadline: "clear"',
    by: model,
  },
  {
    name: "skip the fence after a restart",
    file: table,
    line: 'restarted: "fence",\n    cancel: "refuse-to-cancel"',
    becomes: 'restarted: "clear",\n    cancel: "refuse-to-cancel"',
    by: model,
  },
  {
    name: "let a caller cancel after the point of no return",
    file: table,
    line: 'cancel: "refuse-to-cancel"',
    becomes: 'cancel: "clear"',
    by: model,
  },
  {
    name: "forget a source that dies during the cutover",
    file: table,
    line: 'deadline: "fence",\n    "gone source": "note-source-gone"',
    becomes: 'deadline: "fence"',
    by: worker("handover"),
  },
  {
    name: "resume the source before the target is gone",
    file: rules,
    line: 'return to(handover, step, [{ type: "remove", side: "target" }]);',
    becomes: 'return to(handover, step, [...resumption(handover, step.reason), { type: "remove", side: "target" }]);',
    by: model,
  },
  {
    name: "send a command once only",
    file: rules,
    line: 'input.type === "connected" && input.version === 2',
    becomes: 'input.type === "connected" && input.version === 1',
    by: worker("version-2"),
  },
  {
    name: "take over from the target's own position beside a live source",
    file: rules,
    line: "apply: (handover, input) => applied(handover, positionFor(handover, input)),",
    becomes: 'apply: (handover) => applied(handover, "position" in handover.step ? handover.step.position : null),',
    by: model,
  },
  {
    name: "announce a commit that is not written down",
    file: rules,
    line: "commit: (handover) => committed(handover, true)",
    becomes: "commit: (handover) => committed(handover, false)",
    by: model,
  },
  {
    name: "take a report from the wrong side",
    file: transition,
    line: "if (input.side === reporterOf[input.type]) return input.type;",
    becomes: "return input.type;",
    by: ["migration-worker", "src/handover/transition.test.ts"],
  },
  {
    name: "write the journal after the send",
    file: job,
    line: "const isLast = !write.isRequired && effects.some(undoes);",
    becomes: "const isLast = true;",
    by: model,
  },
  {
    name: "go on although the journal cannot be written",
    file: job,
    line: "isRequired: mustWrite === true",
    becomes: "isRequired: false",
    by: model,
  },
  {
    name: "forget which reports were taken",
    file: job,
    line: "if (report.seq <= known.lastSeq)",
    becomes: "if (report.seq < 1)",
    by: worker("version-2"),
  },
  {
    name: "take a report of another migration",
    file: job,
    line: '"migrationId" in report && report.migrationId !== migrationId',
    becomes: '"migrationId" in report && report.migrationId === ""',
    by: worker("version-2"),
  },
  {
    name: "tell a source to resume only once",
    file: job,
    line: "const owed = owedTo(instance);",
    becomes: "const owed: readonly JobEffect[] = [];",
    by: model,
  },
  {
    name: "let a source resume under its old epoch",
    file: job,
    line: "const epoch = mayHaveStopped ? job.epoch + 1 : job.epoch;",
    becomes: "const epoch = job.epoch;",
    by: model,
  },
  {
    name: "place a target under the epoch of its source",
    file: job,
    line: "isDryRun ? job.epoch : job.epoch + 1",
    becomes: "job.epoch",
    by: model,
  },
  {
    name: "let the source resume beside a target in doubt",
    file: job,
    line: 'handover.onIndeterminate === "hold"',
    becomes: 'handover.onIndeterminate === "resume"',
    by: model,
  },
  {
    name: "forget after a restart that the target may be active",
    file: record,
    line: 'step: step.at === "ended" ? "fence" : step.at,',
    becomes: 'step: step.at === "apply" ? "ready" : step.at,',
    by: model,
  },
  {
    name: "wait for ever for a hello",
    file: "migration-worker/src/job-connection.ts",
    line: "  }, helloTimeoutMs);",
    becomes: "  }, 2 ** 31 - 1);",
    by: worker("job-socket"),
  },
  {
    name: "read whatever a stranger sends",
    file: "migration-worker/src/job-connection.ts",
    line: "const liftLimit = socket.limitBytes(maxHelloBytes, refuseLongHello);",
    becomes: "const liftLimit = socket.limitBytes(Infinity, refuseLongHello);",
    by: worker("security"),
  },
  {
    name: "wait half a minute for the answer to a close",
    file: "migration-worker/src/job-connection.ts",
    line: "stopCut = clock.setTimer(() => socket.terminate(), closeHandshakeMs);",
    becomes: "stopCut = clock.setTimer(() => socket.terminate(), 30_000);",
    by: worker("job-socket"),
  },
  {
    name: "take the late close of an older connection for the end of the newer one",
    file: "migration-worker/src/worker.ts",
    line: "if (!job.isCurrent(id, connection)) return;",
    becomes: "job.isCurrent(id, connection);",
    by: worker("job-socket"),
  },
  {
    name: "never notice that a peer is dead",
    file: "migration-worker/src/liveness.ts",
    line: "return this.#options.onDead(this.#silentMs);",
    becomes: "return this.#waitToAsk();",
    by: worker("version-2"),
  },
  {
    name: "drop the outbox once it was written",
    file: client,
    line: "if (turn.link.version === 1) remove(turn, (report) => report.seq === seq);",
    becomes: "remove(turn, (report) => report.seq === seq);",
    by: clientTests("acknowledged-reports"),
  },
  {
    name: "send nothing again after a reconnect",
    file: client,
    line: "for (const report of turn.outbox.reports) transmit(turn, fit(turn, report));",
    becomes: "",
    by: clientTests("acknowledged-reports"),
  },
  {
    name: "let an abort wait for the running handler",
    file: client,
    line: '  fire(turn, (task) => task.frame.migrationId === migrationId, "aborted", why);',
    becomes: "",
    by: clientTests("commands"),
  },
  {
    name: "leave a question without an answer when its time is over",
    file: client,
    line: "    fail(turn, task, reason);\n    fire(turn, (each) => each.key === key",
    becomes: "    fire(turn, (each) => each.key === key",
    by: clientTests("get-state"),
  },
  {
    name: "carry a repeated command out again",
    file: session,
    line: "if (known?.seen.includes(type) && !isNewerAbort)",
    becomes: 'if (known?.seen.includes(type) && type === "abort")',
    by: model,
  },
  {
    name: "carry out what comes for a migration that is over",
    file: session,
    line: "  if (known?.endedBy && !goesOn) return { state, why: over(known), refuses: isQuestion };",
    becomes: "",
    by: clientTests("commands", "repeated-commands"),
  },
  {
    name: "run two handlers at once",
    file: queue,
    line: "if (queue.running !== null || !task)",
    becomes: "if (!task)",
    by: clientTests("commands"),
  },
];
