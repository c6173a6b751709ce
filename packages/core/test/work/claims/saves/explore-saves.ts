// Explores all histories of real saves over one small store. At each step, any program may be next; its request may be
// lost, or lose its response, or arrive after everything else; a program may die before a request, or with one on its
// way. A history is replayed from its beginning, and two histories with the same store and the same responses count as
// one.

import { StorageError, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import type { Clock } from "@partita/core/rest";
import type { WriteOperation } from "@partita/core/storage";
import { Store } from "../../save/moves/explore.ts";

/** How often a history may have each fault. */
export interface Faults {
  /** Requests that are lost, or lose their responses. */
  readonly lost?: number;
  /** Requests that arrive at any later time. */
  readonly late?: number;
  /** Programs that die. */
  readonly deaths?: number;
  /**
   * Hours that pass: requests on their way never arrive, markers are swept, and programs go on where they slept.
   */
  readonly hours?: number;
}

/** A program. It reports what it began and how that ended. */
export type Program = (storage: TableStorage, log: ProgramLog) => Promise<void>;

export interface ProgramLog {
  readonly clock: Clock;
  readonly begin: (save: string) => void;
  readonly end: (save: string, result: string) => void;
}

/** The laws of a scenario, which see each step. */
export interface Laws {
  /** Called after each change of the store. @throws if it is wrong */
  readonly changed: (store: Store, operations: readonly WriteOperation[]) => void;
  readonly began: (save: string, store: Store) => void;
  readonly ended: (save: string, result: string) => void;
  /** Called when all programs have ended or died and no request can arrive any more. @throws if it is wrong */
  readonly atEnd: (storage: TableStorage) => Promise<void>;
  /** The state of the laws as text. */
  readonly print: () => string;
}

export interface SaveScenario {
  readonly table: string;
  readonly rows: readonly (readonly WriteOperation[])[];
  readonly programs: readonly Program[];
  readonly faults: Faults;
  readonly laws: () => Laws;
}

interface Pending {
  readonly text: string;
  readonly isWrite: boolean;
  readonly send: () => unknown;
  readonly settle: (value: unknown, error?: unknown) => void;
}

type Fate = "applied" | "lost" | "response lost" | "late" | "dies" | "dies after sending";
/** A step: the fate of the next request of a program, the arrival of a late request, or an hour. */
type Step =
  | { readonly program: number; readonly fate: Fate }
  | { readonly arrives: number }
  | { readonly hour: true };

const lostError = (): StorageError =>
  new StorageError("storage.no-response", "The response was lost.", { applied: "maybe" });

class History {
  readonly store = new Store();
  readonly laws: Laws;
  readonly #scenario: SaveScenario;
  readonly #waiting: Pending[][];
  readonly #told: string[][];
  readonly #state: ("running" | "ended" | "dead")[];
  readonly #late: Pending[] = [];
  readonly #left: { -readonly [Fault in keyof Faults]-?: number };
  #now = 1_700_000_000_000;
  failure: unknown;

  constructor(scenario: SaveScenario) {
    this.#scenario = scenario;
    this.#waiting = scenario.programs.map(() => []);
    this.#told = scenario.programs.map(() => []);
    this.#state = scenario.programs.map(() => "running");
    this.#left = { lost: 0, late: 0, deaths: 0, hours: 0, ...scenario.faults };
    this.laws = scenario.laws();
    for (const operations of scenario.rows) this.#transact(operations);
  }

  async start(): Promise<void> {
    for (const [i, program] of this.#scenario.programs.entries()) {
      void program(this.#storageFor(i), {
        clock: { now: () => this.#now, wait: () => Promise.resolve() },
        begin: (save) => this.laws.began(save, this.store),
        end: (save, result) => {
          // The next save knows nothing of this one.
          this.#told[i] = [];
          if (this.#state[i] === "running") this.#guarded(() => this.laws.ended(save, result));
        },
      }).then(
        () => this.#end(i),
        (error: unknown) => {
          if (this.#state[i] === "running") this.failure ??= error;
          this.#end(i);
        },
      );
    }
    await this.#untilIdle();
  }

  get isAtEnd(): boolean {
    return this.#state.every((state) => state !== "running");
  }

  steps(): Step[] {
    const { lost, late, deaths, hours } = this.#left;
    const steps: Step[] = this.#late.map((_, arrives) => ({ arrives }));
    if (hours > 0 && !this.isAtEnd) steps.push({ hour: true });
    for (const [program, [next]] of this.#waiting.entries()) {
      if (this.#state[program] !== "running" || next === undefined) continue;
      const fates: Fate[] = ["applied"];
      if (next.isWrite && lost > 0) fates.push("lost", "response lost");
      if (next.isWrite && late > 0) fates.push("late");
      if (deaths > 0) fates.push("dies");
      if (deaths > 0 && next.isWrite) fates.push("dies after sending");
      for (const fate of fates) steps.push({ program, fate });
    }
    return steps;
  }

  async take(step: Step): Promise<void> {
    if ("arrives" in step) {
      const [request] = this.#late.splice(step.arrives, 1);
      this.#sent(request as Pending);
      return;
    }
    if ("hour" in step) return this.#passHour();
    const { program, fate } = step;
    const request = this.#waiting[program]?.shift() as Pending;
    const tell = (text: string): void => void this.#told[program]?.push(`${request.text}: ${text}`);
    switch (fate) {
      case "applied": {
        const { value, error } = this.#sent(request);
        tell(error === undefined ? (JSON.stringify(value) ?? "") : String(error.serviceCode));
        request.settle(value, error);
        break;
      }
      case "lost":
      case "response lost":
        this.#left.lost--;
        if (fate === "response lost") this.#sent(request);
        tell("lost");
        request.settle(undefined, lostError());
        break;
      case "late":
        this.#left.late--;
        this.#late.push(request);
        tell("lost");
        request.settle(undefined, lostError());
        break;
      case "dies":
      case "dies after sending":
        this.#left.deaths--;
        this.#state[program] = "dead";
        if (fate === "dies after sending") this.#late.push(request);
        break;
      default:
        fate satisfies never;
    }
    await this.#untilIdle();
  }

  /** The state as text, in which markers and versions are numbered by their first use. */
  print(): string {
    const programs = this.#told.map((told, i) => [this.#state[i], this.#state[i] === "running" ? told : []]);
    const late = this.#late.map(({ text }) => text).toSorted();
    const text = JSON.stringify([
      programs,
      late,
      this.#left,
      this.#now,
      this.laws.print(),
      this.store.print(),
    ]);
    const names = new Map<string, string>();
    return text.replace(/~w~[\w-]{16}|W\/\\+"[^"\\]*/g, (found) => {
      const id = found.replaceAll("\\", "");
      const name = names.get(id) ?? `~${names.size}`;
      names.set(id, name);
      return name;
    });
  }

  /** A storage without delays and faults. */
  get storage(): TableStorage {
    return this.#port((_text, _isWrite, send) => {
      try {
        return Promise.resolve(send());
      } catch (error) {
        return Promise.reject(error as Error);
      }
    });
  }

  /** Requests that programs had signed before they slept are refused by the service. */
  async #passHour(): Promise<void> {
    this.#left.hours--;
    this.#now += 3_600_000;
    this.#late.length = 0;
    for (const [id, row] of this.store.rows) if (row["_row"] === "marker") this.store.rows.delete(id);
    for (const [i, requests] of this.#waiting.entries())
      for (const request of requests.filter(({ isWrite }) => isWrite)) {
        requests.splice(requests.indexOf(request), 1);
        this.#told[i]?.push(`${request.text}: expired`);
        request.settle(undefined, lostError());
      }
    await this.#untilIdle();
  }

  #end(i: number): void {
    if (this.#state[i] === "running") this.#state[i] = "ended";
  }

  #sent({ send }: Pending): { value?: unknown; error?: StorageError } {
    try {
      return { value: structuredClone(send()) };
    } catch (error) {
      if (StorageError.is(error)) return { error };
      this.failure ??= error;
      return {};
    }
  }

  #transact(operations: readonly WriteOperation[]): { etag?: string }[] {
    const results = this.store.transact(this.#scenario.table, operations);
    this.#guarded(() => this.laws.changed(this.store, operations));
    return results;
  }

  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.failure ??= error;
    }
  }

  #storageFor(program: number): TableStorage {
    return this.#port(
      (text, isWrite, send) =>
        new Promise((resolve, reject) => {
          if (this.#state[program] === "dead") return;
          this.#waiting[program]?.push({
            text,
            isWrite,
            send,
            settle: (value, error) => (error === undefined ? resolve(value) : reject(error as Error)),
          });
        }),
    );
  }

  #port(ask: (text: string, isWrite: boolean, send: () => unknown) => Promise<unknown>): TableStorage {
    const { table } = this.#scenario;
    const transact = (operations: readonly WriteOperation[]) =>
      ask(JSON.stringify(operations), true, () => this.#transact(operations));
    return forwardStorage({ description: "a store of the test" } as TableStorage, {
      get: (_table, key) =>
        ask(`get ${key.partitionKey}/${key.rowKey}`, false, () => this.store.get(table, key)) as never,
      write: async (_table, operation) =>
        ((await transact([operation])) as { etag?: string }[])[0] as { etag?: string },
      transact: (_table, operations) => transact(operations) as never,
    });
  }

  /** Until every running program waits for a response. */
  async #untilIdle(): Promise<void> {
    const isBusy = (): boolean =>
      this.#state.some((state, i) => state === "running" && this.#waiting[i]?.length === 0);
    do await new Promise((resolve) => setImmediate(resolve));
    while (isBusy());
  }
}

/** The result of an exploration. */
export interface Explored {
  readonly states: number;
  /** The shortest history that breaks a law. */
  readonly broken?: string;
}

/** Explores a scenario breadth first. */
export async function exploreSaves(scenario: SaveScenario): Promise<Explored> {
  const known = new Set<string>();
  let open: Step[][] = [[]];
  while (open.length > 0) {
    const next: Step[][] = [];
    for (const steps of open) {
      const history = new History(scenario);
      await history.start();
      for (const step of steps) await history.take(step);
      const state = history.print();
      if (known.has(state)) continue;
      known.add(state);
      if (history.failure === undefined && history.isAtEnd && history.steps().length === 0)
        await history.laws.atEnd(history.storage).catch((error: unknown) => (history.failure ??= error));
      if (history.failure !== undefined)
        return { states: known.size, broken: `${messageOf(history.failure)} after ${print(steps)}` };
      for (const step of history.steps()) next.push([...steps, step]);
    }
    open = next;
  }
  return { states: known.size };
}

/** Runs one random history: at each step, one request of three has a fault while faults are left. */
export async function randomHistory(
  scenario: SaveScenario,
  random: () => number,
): Promise<Pick<Explored, "broken">> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  return runHistory(scenario, (steps) => {
    const isQuiet = random() < 2 / 3;
    const quiet = steps.filter(isApplied);
    return pick(isQuiet && quiet.length > 0 ? quiet : steps);
  });
}

/**
 * Replays a history, and goes on without faults. A step that is not possible is skipped: the history was printed while
 * the saves had a bug.
 */
export async function replayHistory(
  scenario: SaveScenario,
  history: string,
): Promise<Pick<Explored, "broken">> {
  const planned = history.split(", ");
  return runHistory(scenario, (steps) => {
    while (planned.length > 0) {
      const text = planned.shift();
      const step = steps.find((each) => print([each]) === text);
      if (step !== undefined) return step;
    }
    return steps.find(isApplied) ?? (steps[0] as Step);
  });
}

async function runHistory(
  scenario: SaveScenario,
  choose: (steps: readonly Step[]) => Step,
): Promise<Pick<Explored, "broken">> {
  const history = new History(scenario);
  await history.start();
  const taken: Step[] = [];
  for (let steps = history.steps(); steps.length > 0; steps = history.steps()) {
    const step = choose(steps);
    taken.push(step);
    await history.take(step);
    if (history.failure !== undefined) break;
  }
  if (history.failure === undefined)
    await history.laws.atEnd(history.storage).catch((error: unknown) => (history.failure ??= error));
  return history.failure === undefined
    ? {}
    : { broken: `${messageOf(history.failure)} after ${print(taken)}` };
}

const isApplied = (step: Step): boolean => "fate" in step && step.fate === "applied";

const messageOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : "a thrown value";

const print = (steps: readonly Step[]): string =>
  steps
    .map((step) => {
      if ("hour" in step) return "an hour passes";
      return "arrives" in step ? `late ${step.arrives} arrives` : `${step.program} ${step.fate}`;
    })
    .join(", ");
