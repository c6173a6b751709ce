import { defineEntity, OptionError, type TableContext, text } from "@partita/core";
import { constant, verbatim } from "@partita/core/keys";
import { describe, expect, test } from "vitest";
import {
  type Fault,
  invariant,
  type Journal,
  linearizable,
  outcomes,
  scenario,
  simulate,
  SimulationError,
  type SimulateOptions,
  type Scenario,
  type SimulationProgress,
  type SimulationReport,
  writeFaults,
} from "../../src/index.ts";
import {
  Account,
  addOneBlindly,
  addOne,
  counting,
  Counter,
  storeAccounts,
  sumOf,
  transfers,
} from "./workshop.ts";

const faults = { rate: 0.4, late: 2 / 3, stops: 0.1 };

/** Journals of a scenario's runs, as text: with rows, ETags, times and write ids. */
async function journalsOf(declared: Scenario, options: SimulateOptions): Promise<string[]> {
  const journals: string[] = [];
  const collect = ({ journal }: { readonly journal: Journal }): void => {
    const errors = (_name: string, value: unknown): unknown =>
      value instanceof Error ? `${value.name} ${value.message}` : value;
    journals.push(JSON.stringify(journal, errors));
  };
  await simulate({ ...declared, check: collect }, options);
  return journals;
}

/** What a simulation finds. */
async function found(declared: Scenario, options: SimulateOptions): Promise<SimulationError> {
  try {
    await simulate(declared, options);
  } catch (error) {
    if (error instanceof SimulationError) return error;
    throw error;
  }
  throw new Error("The simulation found nothing.");
}

const balanced = invariant(Account, (accounts) => sumOf(accounts) === 300);
const lostUpdate = counting(addOneBlindly, linearizable());

describe("a seed", () => {
  test("gives the same journal each time: requests, rows, ETags, times and errors", async () => {
    const options = { seeds: 30, actors: 3, faults, clock: { skewMs: 5000, jumpMs: 120_000 } };
    const first = await journalsOf(transfers(1, outcomes()), options);
    const second = await journalsOf(transfers(1, outcomes()), options);

    expect(second).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(25);
  });

  test("gives the same journal whatever the seeds before it were", async () => {
    const all = await journalsOf(counting(addOne, linearizable()), { seeds: 10, faults });
    const seventh = await journalsOf(counting(addOne, linearizable()), { seeds: [7], faults });

    expect(seventh).toEqual([all[6]]);
  });

  test("gives actors the same time, randomness and ids, and leaves those of others alone", async () => {
    const seen: unknown[] = [];
    const reading = scenario({
      classes: [Account],
      actors: {
        async reader({ random, clock }) {
          const before = Date.now();
          await new Promise((resolve) => setTimeout(resolve, 3_600_000));
          seen.push([before, new Date().toISOString(), clock.now(), Math.random(), random.below(1000)]);
          seen.push([crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(8)), performance.now()]);
        },
      },
      check: () => undefined,
    });
    await simulate(reading, { seeds: [5, 5], actors: 1, steps: 1 });

    expect(seen.slice(0, 2)).toEqual(seen.slice(2));
    expect(seen[0]).toEqual(expect.arrayContaining(["2026-01-01T01:00:00.000Z"]));
    expect(Date.now()).toBeGreaterThan(Date.UTC(2026, 0, 2));
    expect(String(Math.random)).toContain("native code");
    expect(String(setTimeout)).not.toContain("scopes");
    expect(new Date().constructor).toBe(Date);
  });

  test("ends a timer that was cleared", async () => {
    let rings = 0;
    const ringing = scenario({
      classes: [Account],
      actors: {
        async bell({ clock }) {
          const timer = setTimeout(() => rings++, 10);
          setTimeout((by: number) => (rings += by), 20, 5);
          clearTimeout(timer);
          await clock.wait(30);
        },
      },
      check: () => undefined,
    });
    await simulate(ringing, { seeds: 1, actors: 1, steps: 1 });

    expect(rings).toBe(5);
  });
});

describe("a violation", () => {
  test("is found again by its seed alone, with the same history", async () => {
    const first = await found(lostUpdate, { seeds: 50, actors: 4 });
    const again = await found(lostUpdate, { seeds: [first.seed as number], actors: 4 });

    expect(first.message).toContain(`Seed ${first.seed}: linearizable: `);
    expect(first.message).toContain(`simulate(scenario, { seeds: [${first.seed}] })`);
    expect(again.message).toBe(first.message);
    expect(again.history).toEqual(first.history);
  });

  test("is shrunk to the shortest history: of a lost update, two writers and one read", async () => {
    const { history, code, check } = await found(lostUpdate, { seeds: 20, actors: 4, steps: 3 });

    expect([code, check]).toEqual(["simulation.violation", "linearizable"]);
    expect(history.map((line) => line.replace(/^.*? s {2}visitor (\d) {2}(?:\d+\. )?/, ""))).toEqual([
      "get Counters (g, n): { value: 0 }",
      "get Counters (g, n): { value: 0 }",
      "upsert-replace Counters (g, n) { value: 1 }: applied",
      "add 1 on counter visits: done",
      "upsert-replace Counters (g, n) { value: 1 }: applied",
      "add 1 on counter visits: done",
      "get Counters (g, n): { value: 1 }",
      "read on counter visits: 1",
    ]);
  });

  test("is shrunk to the one fault that it takes", async () => {
    const key = { group: "g", name: "n" };
    /** Takes a read that failed for a counter that was never written. */
    const hasty = counting(async (context) => {
      const found = await context.find(Counter, key).catch(() => undefined);
      if (found === undefined) context.upsert(new Counter({ ...key, value: 1 }), "replace");
      else found.value++;
      await context.saveChanges();
    }, linearizable());
    const options = { seeds: 100, actors: 3, steps: 3, faults: { rate: 0.3 } };
    const noRetry = { retry: { attempts: 1, delayMs: 0 } };
    const { history } = await found({ ...hasty, context: noRetry }, options);

    expect(history.filter((line) => line.includes("the actor gets"))).toHaveLength(1);
    expect(history.filter((line) => line.includes("add 1 on counter visits: done"))).toHaveLength(2);
  });

  test("shows clocks that differ, and when they are set", async () => {
    const clock = { skewMs: 5000, jumpMs: 60_000 };
    const { history } = await found(lostUpdate, { seeds: 20, actors: 2, clock, maxShrinks: 0 });

    expect(history.join("\n")).toMatch(
      /0\.000 s {2}visitor 1 {2}begins with a clock that is \d\.\d{3} s (?:forward|back)/,
    );
    expect(history.join("\n")).toMatch(/has its clock set \d+\.\d{3} s (?:forward|back)/);
  });

  test("is printed whole where it is not to be shrunk", async () => {
    const shrunk = await found(lostUpdate, { seeds: 20, actors: 4, steps: 3 });
    const whole = await found(lostUpdate, { seeds: 20, actors: 4, steps: 3, maxShrinks: 0 });

    expect(whole.seed).toBe(shrunk.seed);
    expect(whole.history.length).toBeGreaterThan(shrunk.history.length);
    expect(whole.message).toContain("What happened, in order:");
  });

  test("is what an actor throws beside errors of saves and of the storage", async () => {
    const failing = scenario({
      classes: [Account],
      actors: { clerk: () => Promise.reject(new RangeError("too much")) },
      check: () => undefined,
    });
    const error = await found(failing, { seeds: 1 });

    expect(error.check).toBe("actors");
    expect(error.message).toContain("failed with RangeError: too much");
    expect(error.cause).toBeInstanceOf(RangeError);
  });
});

describe("what contexts report", () => {
  const ada = { bank: "b", owner: "Ada" };
  /** One actor whose saves may fail; faults are those of its writes, in order. */
  const saving = (
    work: (context: TableContext, save: () => Promise<unknown>) => Promise<void>,
    ...faults: readonly (Fault | undefined)[]
  ): Promise<SimulationReport> => {
    const declared = scenario({
      classes: [Member],
      setup: (context) => void context.add(new Member({ ...ada, mail: "ada@example.org" })),
      actors: { clerk: ({ context }) => work(context, () => context.saveChanges().catch(() => undefined)) },
      check: outcomes(),
      context: { retry: { attempts: 1, delayMs: 0 } },
    });
    return simulate(declared, { seeds: 20, actors: 1, steps: 1, faults: () => writeFaults(...faults) });
  };
  class Member extends defineEntity({
    table: "Members",
    partitionKey: { bank: text() },
    rowKey: { owner: text() },
    properties: { mail: text().optional() },
    indexes: { byMail: { rowKey: { mail: constant("MAIL:", verbatim) } } },
  }) {}

  test("is of two removals by the same key, of which the second is refused", async () => {
    const report = await saving(async (context, save) => {
      context.removeByKey(Member, ada, "*");
      await save();
      context.clear({ discard: true });
      context.removeByKey(Member, ada, "*");
      await save();
    }, "reset-after");

    expect(report).toMatchObject({ runs: 20, rejected: 20 });
  });

  test("is of an upsert of a class with indexes, which is sent under the version that was read", async () => {
    const report = await saving(async (context, save) => {
      context.upsert(new Member({ ...ada, mail: "a@example.org" }), "replace");
      await save();
    });

    expect(report).toMatchObject({ runs: 20, committed: 20 });
  });

  test("is of one change, though it is saved again as a complete row", async () => {
    const refused = saving(
      async (context, save) => {
        const member = await context.find(Member, ada);
        if (member !== undefined) member.mail = "a@example.org";
        await save();
        await context.saveChanges({ update: "replace" });
      },
      "timeout-late",
      "refused",
    );

    await expect(refused).resolves.toMatchObject({ rejected: 0 });
  });
});

describe("a run", () => {
  test("counts what happened", async () => {
    const report = await simulate(transfers(1, balanced), { seeds: 20, actors: 3, faults });

    expect(report.runs).toBe(20);
    expect(report.faults / report.requests).toBeGreaterThan(0.2);
    expect(report.lateArrivals).toBeGreaterThan(5);
    expect(Math.min(report.committed, report.rejected, report.unknown)).toBeGreaterThan(0);
  });

  test("lets late writes arrive at any later moment, and always before the end", async () => {
    const arrivals = { before: 0, after: 0, never: 0 };
    await simulate(
      {
        ...transfers(1, balanced),
        check({ journal }) {
          for (const { fault, executedAt, number } of journal.entries) {
            if (fault?.endsWith("-late") !== true || journal.entries.at(-1) === undefined) continue;
            const others = journal.entries.filter((entry) => entry.number > number);
            if (executedAt === undefined) arrivals.never++;
            else if (others.some(({ respondedAt = 0 }) => respondedAt > executedAt)) arrivals.before++;
            else arrivals.after++;
          }
        },
      },
      { seeds: 60, actors: 3, faults: { rate: 0.4, late: 1, kinds: ["timeout"] } },
    );

    expect(arrivals.never).toBe(0);
    expect(arrivals.before).toBeGreaterThan(10);
    expect(arrivals.after).toBeGreaterThan(0);
  });

  test("takes faults that are written by hand", async () => {
    const seen: unknown[] = [];
    await simulate(
      {
        ...counting(addOne, linearizable()),
        check: ({ journal }) => {
          for (const { type, fault, outcome } of journal.entries)
            if (type === "write") seen.push([fault, outcome]);
        },
      },
      { seeds: 1, actors: 1, steps: 2, faults: () => writeFaults("reset-after", undefined, "refused") },
    );

    expect(seen.slice(0, 2)).toEqual([
      ["reset-after", "applied"],
      [undefined, "refused"],
    ]);
  });

  test("sets up without faults, and saves what is left pending", async () => {
    let balances: readonly number[] = [];
    await simulate(
      scenario({
        classes: [Account],
        setup: storeAccounts,
        actors: { clerk: () => undefined },
        async check({ openContext }) {
          balances = (await openContext().query(Account).scan().toArray()).map(({ balance }) => balance);
        },
      }),
      { seeds: 1, faults: { rate: 1 } },
    );

    expect(balances).toEqual([100, 100, 100]);
  });

  test("is refused with the storage's own error where that cannot be opened", async () => {
    const storage = (): never => {
      throw new Error("no disk");
    };
    await expect(simulate(transfers(1, balanced), { storage })).rejects.toMatchObject({
      code: "simulation.storage",
      message: "The storage of a simulation could not be prepared: no disk",
    });
  });
});

describe("simulate", () => {
  test("reports its progress after each seed, and while it shrinks", async () => {
    const progress: SimulationProgress[] = [];
    const onProgress = (each: SimulationProgress): void => void progress.push(each);
    await simulate(transfers(1, balanced), { seeds: [4, 9], onProgress });
    expect(progress).toEqual([
      { seed: 4, done: 1, total: 2, isShrinking: false },
      { seed: 9, done: 2, total: 2, isShrinking: false },
    ]);

    const { seed } = await found(lostUpdate, { seeds: 20, onProgress });
    expect(progress.at(-1)).toEqual({ seed, done: (seed as number) - 1, total: 20, isShrinking: true });
  });

  test("ends when its signal is aborted, between seeds and while it shrinks", async () => {
    const stop = new AbortController();
    const seeds: number[] = [];
    const running = simulate(transfers(1, balanced), {
      seeds: 100,
      signal: stop.signal,
      onProgress({ seed }) {
        seeds.push(seed);
        if (seed === 3) stop.abort(new Error("enough"));
      },
    });
    await expect(running).rejects.toThrow("enough");
    expect(seeds).toEqual([1, 2, 3]);

    const shrinking = new AbortController();
    const stopped = simulate(lostUpdate, {
      seeds: 20,
      signal: shrinking.signal,
      onProgress: ({ isShrinking }) => isShrinking && shrinking.abort(new Error("too long")),
    });
    await expect(stopped).rejects.toThrow("too long");
  });

  test.each([
    [{ seed: 1 }, 'simulate(scenario, options) does not know "seed". Did you mean seeds?'],
    [{ seeds: 0 }, "simulate(scenario, { seeds }) takes the number of seeds"],
    [{ seeds: [] }, "simulate(scenario, { seeds }) takes at least one whole number"],
    [{ seeds: [1.5] }, "simulate(scenario, { seeds }) takes at least one whole number"],
    [{ actors: -1 }, "simulate(scenario, { actors }) takes a whole number"],
    [{ actors: { clark: 1 } }, 'does not know an actor "clark". The scenario has: clerk.'],
    [{ steps: 0 }, "simulate(scenario, { steps }) takes a whole number, 1 or more"],
    [{ faults: { rate: 2 } }, "simulate(scenario, { faults: { rate } }) takes a number from 0 to 1"],
    [{ faults: { lost: 1 } }, 'does not know "lost"'],
    [{ faults: { kinds: ["late"] } }, "takes a list of: refused, unsent"],
    [{ clock: { skewMs: -1 } }, "simulate(scenario, { clock: { skewMs } }) takes milliseconds, 0 or more"],
    [{ signal: {} }, "takes an AbortSignal"],
    [{ storage: "memory:" }, "takes a function that opens a store"],
  ])("refuses %j", async (options, message) => {
    const refused = simulate(transfers(1, balanced), options as SimulateOptions);
    await expect(refused).rejects.toThrow(OptionError);
    await expect(refused).rejects.toThrow(message);
  });

  test("refuses what is no scenario", async () => {
    await expect(simulate({} as Scenario)).rejects.toThrow("takes a scenario({ classes, actors, check })");
    expect(() => scenario({ classes: [], actors: { a: () => undefined }, check: outcomes() })).toThrow(
      "scenario({ classes }) takes a list of classes: [Account].",
    );
    expect(() => scenario({ classes: [Account], actors: {}, check: outcomes() })).toThrow(OptionError);
    expect(() => scenario({ classes: [Account], actors: { a: () => undefined }, check: [] })).toThrow(
      "takes a check or a list of checks",
    );
    expect(() =>
      scenario({ classes: [Account], actors: { setup: () => undefined }, check: outcomes() }),
    ).toThrow('cannot have an actor named "setup"');
  });
});
