import type { Choice, Plan } from "./plan.ts";
import type { Scope } from "./own-time.ts";
import { scopes } from "./own-time.ts";
import { SimulationError } from "../simulation-error.ts";

/** An actor of a run. */
export interface Actor {
  readonly name: string;
  readonly scope: Scope;
  /** The number of its requests and waits in progress. */
  waiting: number;
  state: "working" | "ended" | "stopped";
}

/** An event that happens when the plan chooses it. */
export interface Ready extends Choice {
  /** Time does not pass this moment before the event has happened. */
  readonly deadline: number;
  /** The actor that continues after the event; undefined if none waits for it. */
  readonly owner: Actor | undefined;
  run(): Promise<void>;
}

interface Wait {
  readonly owner: Actor;
  readonly until: number;
  readonly id: string;
  end(): void;
}

// The original functions, before any replacement.
const nextTurn = setImmediate;
const realTime = performance.now.bind(performance);

/** Lets one event happen at a time, with a simulated clock. */
export class Scheduler {
  /** Milliseconds since the start of the run. */
  now = 0;
  #order = 0;
  readonly #patienceMs: number;
  #choose: (enabled: readonly Choice[]) => Choice = ([first]) => first as Choice;
  #ready: Ready[] = [];
  #waits: Wait[] = [];
  #waited = 0;

  /** @param patienceMs - how long an actor may do unscheduled work, in milliseconds of this machine */
  constructor(patienceMs: number = 20_000) {
    this.#patienceMs = patienceMs;
  }

  /** The position of the present event in the order of all events. */
  get order(): number {
    return this.#order;
  }

  /** Returns a new position for an event without a request: after all earlier ones, before all later ones. */
  readonly mark = (): number => ++this.#order;

  /** Follows a plan from now on. Until then, the first possible event happens. */
  follow({ choose }: Pick<Plan, "choose">, schedule: string[]): void {
    this.#choose = (enabled) => {
      const chosen = choose(enabled);
      schedule.push(chosen.id);
      return chosen;
    };
  }

  /** Adds an event that will happen at some time. */
  add(ready: Ready): void {
    this.#ready.push(ready);
    if (ready.owner !== undefined) ready.owner.waiting++;
  }

  wait(owner: Actor, ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms > 0) || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        const index = this.#waits.indexOf(wait);
        if (index < 0) return;
        this.#waits.splice(index, 1);
        owner.waiting--;
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const until = this.now + ms;
      const wait: Wait = { owner, until, id: `time ${owner.name}/${++this.#waited}`, end };
      // Events for the same moment stay in the order of their arrival.
      const after = this.#waits.findIndex((other) => other.until > until);
      this.#waits.splice(after < 0 ? this.#waits.length : after, 0, wait);
      owner.waiting++;
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  /** Stops an actor immediately: its pending requests do not happen any more. */
  stop(actor: Actor): void {
    actor.state = "stopped";
    this.#ready = this.#ready.filter(({ owner }) => owner !== actor);
    this.#waits = this.#waits.filter(({ owner }) => owner !== actor);
  }

  /** Runs the actors' work until all have ended. @param afterEach - called after each event */
  async run(
    jobs: readonly { readonly actor: Actor; readonly work: () => Promise<void> }[],
    afterEach: () => Promise<void>,
  ): Promise<void> {
    const failed: unknown[] = [];
    for (const { actor, work } of jobs) {
      actor.state = "working";
      void scopes.run(actor.scope, async () => {
        try {
          await work();
        } catch (error) {
          failed.push(error);
        }
        if (actor.state === "working") actor.state = "ended";
      });
    }
    for (;;) {
      await this.#quiet(jobs.map(({ actor }) => actor));
      if (failed.length > 0) throw failed[0];
      if (jobs.every(({ actor }) => actor.state !== "working")) return;
      await this.#next();
      await afterEach();
    }
  }

  /** Lets all remaining requests arrive. */
  async drain(afterEach: () => Promise<void>): Promise<void> {
    while (this.#ready.length > 0) {
      await this.#next();
      await afterEach();
    }
  }

  /** Waits until each actor waits for an event of the scheduler. */
  async #quiet(actors: readonly Actor[]): Promise<void> {
    const since = realTime();
    for (;;) {
      await new Promise((resolve) => nextTurn(resolve));
      const busy = actors.find(({ state, waiting }) => state === "working" && waiting === 0);
      if (busy === undefined) return;
      if (realTime() - since > this.#patienceMs) throw SimulationError.stuck(busy.name, this.#patienceMs);
    }
  }

  async #next(): Promise<void> {
    const [wait] = this.#waits;
    const soonest = Math.min(...this.#ready.map(({ deadline }) => deadline));
    const mayPass = wait !== undefined && (wait.until <= soonest || wait.until <= this.now);
    const time = mayPass ? [{ id: wait.id, actor: wait.owner.name, kind: "time" as const }] : [];
    const chosen = this.#choose([...this.#ready, ...time]);
    this.#order++;
    if (chosen.kind === "time" && wait !== undefined) {
      this.now = Math.max(this.now, wait.until);
      wait.end();
      return;
    }
    this.now++;
    const ready = chosen as Ready;
    this.#ready.splice(this.#ready.indexOf(ready), 1);
    await ready.run();
    if (ready.owner !== undefined) ready.owner.waiting--;
  }
}
