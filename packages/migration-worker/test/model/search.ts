import { lastResort, possible, type Action } from "./actions.js";
import { checkActive } from "./job-side.js";
import { Interner, keyOf } from "./key.js";
import { Broken, copy, initialWorld, type Setting, type World } from "./world.js";
import { begin, register, type Mishap } from "./worker-side.js";

export interface Result {
  readonly states: number;
  readonly steps: number;
  /** The ends of handovers that were seen. */
  readonly ends: ReadonlySet<string>;
  /** A promise that was broken, with the way there. */
  readonly broken: string | undefined;
}

/** Goes from state to state, breadth first, until every state within the setting has been seen. */
export function search(setting: Setting): Result {
  return new Search(setting).run();
}

/** Far more than it takes to come to rest from anywhere. */
const mostSteps = 1_000;

class Search {
  readonly #setting: Setting;
  readonly #interner = new Interner();
  readonly #seen = new Set<string>();
  /** The states from which everything is known to come to rest. */
  readonly #settled = new Set<string>();
  readonly #ends = new Set<string>();
  readonly #queue: (World | undefined)[] = [];
  readonly #cameFrom: number[] = [];
  readonly #by: string[] = [];
  #steps = 0;
  /** What is being tried, for the way to a broken promise. */
  #doing = "";

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  run(): Result {
    const start = initialWorld(this.#setting);
    register(start);
    this.#visit(start, -1, "start");
    let broken: string | undefined;
    for (let i = 0; i < this.#queue.length && broken === undefined; i++) {
      const world = this.#queue[i];
      // What has been expanded is not needed any more.
      this.#queue[i] = undefined;
      for (const action of world ? possible(world, this.#setting) : []) {
        try {
          if (world) this.#take(world, action, i);
        } catch (error) {
          broken = this.#explain(i, this.#doing, error);
          break;
        }
      }
    }
    return { states: this.#seen.size, steps: this.#steps, ends: this.#ends, broken };
  }

  /** Takes an action, and then takes it again with all that can go wrong while the worker deals with it. */
  #take(world: World, action: Action, from: number): void {
    this.#doing = action.name;
    const course = { effects: 0, hasWritten: false, hasSent: false };
    const next = this.#step(world, action, {}, course);
    this.#visit(next, from, action.name);
    const { only } = this.#setting;
    const goWrong = (mishap: Mishap, what: string): void => {
      if (next.faults === 0 || only?.test(what) === false) return;
      this.#doing = `${action.name}, and ${what}`;
      const after = this.#step(world, action, mishap);
      after.faults -= 1;
      this.#visit(after, from, this.#doing);
    };
    for (let killedAfter = 0; killedAfter < course.effects; killedAfter++) {
      goWrong({ killedAfter }, `the worker is killed after ${killedAfter} effects`);
    }
    if (course.hasWritten) goWrong({ isDiskFull: true }, "the disk is full");
    if (course.hasSent) goWrong({ cannotSend: true }, "it cannot be sent");
  }

  #step(world: World, action: Action, mishap?: Mishap, course?: Parameters<Action["run"]>[2]): World {
    const next = copy(world);
    if (action.isFault) next.faults -= 1;
    action.run(next, mishap, course);
    checkActive(next, this.#setting.onIndeterminate === "resume");
    this.#steps += 1;
    return next;
  }

  #visit(world: World, from: number, by: string): void {
    const key = keyOf(world, this.#interner);
    const keyWithFaults = `${world.faults}|${key}`;
    if (this.#seen.has(keyWithFaults)) return;
    this.#seen.add(keyWithFaults);
    if (world.end !== null) this.#ends.add(outcomeOf(world.end));
    if (!this.#settled.has(`false${key}`)) this.#settle(world);
    this.#queue.push(world);
    this.#cameFrom.push(from);
    this.#by.push(by);
  }

  /**
   * From every state, and without any further fault, everything comes to rest: no handover is in flight, the job's
   * instance is active unless it is dead, and a new handover can be completed.
   */
  #settle(start: World): void {
    const passed: string[] = [];
    const way: string[] = [];
    let world: World = { ...copy(start), faults: 0 };
    let hasHandedOver = false;
    const fail = (why: unknown): never => {
      throw new Broken(`${why instanceof Error ? why.message : String(why)}, when left alone: ${way.join("; ")}`);
    };
    for (let i = 0; ; i++) {
      if (i === mostSteps) fail("it never comes to rest");
      const key = `${hasHandedOver}${keyOf(world, this.#interner)}`;
      if (this.#settled.has(key)) break;
      passed.push(key);
      const [action = lastResort(world)] = possible(world, { ...this.#setting, handovers: 0 });
      if (action) {
        way.push(action.name);
        try {
          world = this.#step(world, action);
        } catch (error) {
          fail(error);
        }
        continue;
      }
      const why = wrongAtRest(world, hasHandedOver);
      if (why !== undefined) fail(why);
      const active = world.processes[world.worker?.job.active.id ?? ""];
      if (hasHandedOver || !active?.isAlive) break;
      hasHandedOver = true;
      way.push("a new handover begins");
      world = { ...copy(world), end: null };
      begin(world, this.#setting);
    }
    for (const key of passed) this.#settled.add(key);
  }

  #explain(at: number, last: string, why: unknown): string {
    const way = [last];
    for (let i = at; i > 0; i = this.#cameFrom[i] ?? 0) way.unshift(this.#by[i] ?? "");
    const lines = way.map((name, i) => `${String(i + 1).padStart(3)}  ${name}`);
    return `${why instanceof Error ? why.message : String(why)}\n${lines.join("\n")}`;
  }
}

/** What is wrong where nothing happens any more. */
function wrongAtRest({ worker, processes, end }: World, hasHandedOver: boolean): string | undefined {
  if (!worker) return "no worker";
  const { job } = worker;
  if (job.handover) return `a handover is still in flight: ${JSON.stringify(job.handover.rules.step)}`;
  if (hasHandedOver && outcomeOf(end ?? "") !== "completed") return `the next handover ended as ${end}`;
  const active = processes[job.active.id];
  if (!active?.isAlive || active.isActive) return undefined;
  return `nobody is active: ${job.active.id} was told to stop, and nothing else`;
}

function outcomeOf(end: string): string {
  return /"outcome":"([a-z]+)"/.exec(end)?.[1] ?? "";
}
