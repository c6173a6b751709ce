import {
  type CommittedResult,
  defineEntity,
  type FailedResult,
  int32,
  json,
  type SaveOptions,
  type SaveResult,
  type TableContext,
  text,
} from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { describe, expect, test } from "vitest";
import {
  appends,
  atomicGroups,
  invariant,
  type Journal,
  type JournalEntry,
  linearizable,
  type ListOperation,
  nothingLost,
  nothingStuck,
  type Observation,
  outcomes,
  type ReportedResult,
  scenario,
  simulate,
  type Scenario,
  type SimulatedRun,
  type SimulateOptions,
  type SimulationReport,
  sessions,
  type StartedSave,
  type StoredLists,
  takenOnce,
  whenComplete,
} from "../../src/index.ts";
import {
  Account,
  addOne,
  addOneBlindly,
  counting,
  Job,
  sumOf,
  tagging,
  taking,
  transfers,
  writing,
} from "./workshop.ts";

const quick: SimulateOptions = { seeds: 30, actors: 3 };
const faults = { rate: 0.3, late: 2 / 3 };

const run = (declared: Scenario, options: SimulateOptions = quick): Promise<SimulationReport> =>
  simulate(declared, options);

describe("invariant", () => {
  const balanced = invariant(Account, (accounts) => sumOf(accounts) === 300);

  test("accepts transfers in one transaction, under faults", async () => {
    await expect(run(transfers(1, balanced), { ...quick, faults })).resolves.toMatchObject({ runs: 30 });
  });

  test("finds transfers in two saves", async () => {
    await expect(run(transfers(2, balanced))).rejects.toThrow(
      /partition "bank": does not hold[^]*merge Accounts/,
    );
  });

  test("finds what an expectation throws, with its message", async () => {
    const positive = invariant(Account, (accounts) => {
      for (const { balance } of accounts) expect(balance).toBeGreaterThan(95);
    });
    await expect(run(transfers(1, positive))).rejects.toThrow(
      /partition "bank": expected \d+ to be greater than 95/,
    );
  });

  test("finds what is wrong before anybody works", async () => {
    await expect(
      run(
        transfers(
          1,
          invariant(Account, (accounts) => (accounts.length === 3 ? "three accounts" : undefined)),
        ),
      ),
    ).rejects.toThrow('partition "bank": three accounts');
  });
});

describe("linearizable", () => {
  test("accepts a counter that is modified", async () => {
    await expect(run(counting(addOne, linearizable()))).resolves.toMatchObject({ runs: 30 });
  });

  test("finds a counter that loses updates", async () => {
    await expect(run(counting(addOneBlindly, linearizable()))).rejects.toThrow(
      "no order of its 4 operations explains counter visits",
    );
  });

  test("finds a counter that began with another number", async () => {
    await expect(run(counting(addOne, linearizable({ visits: 1 })))).rejects.toThrow(
      "explains counter visits",
    );
  });

  test("accepts a register that is written whole, under faults", async () => {
    await expect(
      run(writing(false, linearizable({ value: 0 })), { ...quick, faults }),
    ).resolves.toMatchObject({ runs: 30 });
  });

  test("finds a register that is read from a cache", async () => {
    await expect(run(writing(true, linearizable({ value: 0 })))).rejects.toThrow("explains register value");
  });

  test("accepts a set that is modified, under faults", async () => {
    await expect(run(tagging(false, linearizable()), { ...quick, faults })).resolves.toMatchObject({
      runs: 30,
    });
  });

  test("finds a set whose values overwrite each other", async () => {
    await expect(run(tagging(true, linearizable()))).rejects.toThrow("explains set tags");
  });
});

describe("takenOnce", () => {
  test("accepts jobs that are taken by their removal", async () => {
    await expect(run(taking("error", takenOnce()))).resolves.toMatchObject({ runs: 30 });
  });

  test("finds a removal that counts although somebody else did it", async () => {
    await expect(run(taking("ignore", takenOnce()))).rejects.toThrow(
      /jobs "\d" was taken by worker \d and by worker \d/,
    );
  });
});

describe("whenComplete", () => {
  const allTaken = whenComplete(async function everyJobIsTaken({ openContext }) {
    const left = await openContext().query(Job).scan().toArray();
    return left.length === 0;
  });

  test("asks only where nobody stopped: what is left then is no finding", async () => {
    await expect(
      run(taking("error", allTaken), { ...quick, actors: 1, steps: 3, faults: { stops: 1 } }),
    ).resolves.toMatchObject({ runs: 30 });
  });

  test("finds work that is left when all is done, and leaves nobody out to show it", async () => {
    await expect(run(taking("error", allTaken), { ...quick, actors: 1, steps: 2 })).rejects.toThrow(
      /everyJobIsTaken: does not hold[^]*delete Jobs \(q, 1\)[^]*delete Jobs \(q, 2\)/,
    );
  });
});

describe("nothingLost", () => {
  const table = "Things";
  const declared = { table, partitionKey: { group: text() }, rowKey: { id: text() } };
  class Thing extends defineEntity({ ...declared, properties: { name: text(), count: int32() } }) {}

  /** Writers that count, beside one that rewrites rows as an upgrade does; under a version, or over whatever is there. */
  const rewriting = (isBlind: boolean): Scenario<"writer" | "upgrader"> =>
    scenario({
      classes: [Thing],
      setup: (context) => void context.add(new Thing({ group: "g", id: "1", name: "n", count: 0 })),
      actors: {
        writer: ({ context }) =>
          context.modify(Thing, { group: "g", id: "1" }, (thing) => void thing.count++, { attempts: 20 }),
        async upgrader({ storage }) {
          const row = await storage.get(table, { partitionKey: "g", rowKey: "1" });
          if (row === undefined) return;
          const { "odata.etag": etag = "*", Timestamp: _time, ...entity } = row;
          await storage.write(table, { type: "replace", entity, etag: isBlind ? "*" : etag });
        },
      },
      check: nothingLost(Thing, { by: "upgrader" }),
    });

  test("accepts rows that are rewritten under their version", async () => {
    await expect(
      run(rewriting(false), { ...quick, actors: { writer: 2, upgrader: 1 }, faults }),
    ).resolves.toMatchObject({ runs: 30 });
  });

  test("finds an edit that an upgrade overwrote", async () => {
    await expect(run(rewriting(true))).rejects.toThrow(
      /upgrader \d changed \(g, 1\) from .*"count":1.* to .*"count":0/,
    );
  });
});

describe("appends", () => {
  type Operations = readonly ListOperation[];
  /** A transaction by its operations and the time from which, to which it ran. */
  const transaction = (
    value: Operations,
    [began, ended]: readonly [number, number],
    outcome: Observation["outcome"] = "done",
  ): Observation => ({
    actor: `clerk ${began}`,
    step: 1,
    type: "lists",
    name: "p",
    operation: "transact",
    value,
    outcome,
    result: undefined,
    began,
    ended,
    at: ended,
  });
  const append = (list: string, value: number): ListOperation => ({ list, append: value });
  const read = (list: string, ...values: number[]): ListOperation => ({ list, read: values });
  const find = async (observations: readonly Observation[], stored?: StoredLists): Promise<unknown> => {
    const check = appends(stored === undefined ? {} : { stored: () => stored });
    return check.begin({ journal: { observations } } as unknown as SimulatedRun).atEnd?.();
  };

  test("accepts transactions that some order explains", async () => {
    const history = [
      transaction([read("a"), append("a", 1), append("b", 1)], [1, 5]),
      transaction([read("a", 1), append("a", 2)], [2, 6]),
      transaction([read("b"), read("a")], [3, 4]),
      transaction([append("b", 2)], [7, 8], "unknown"),
      transaction([read("a", 1, 2), read("b", 1)], [9, 10]),
    ];
    expect(await find(history, { p: { a: [1, 2], b: [1, 2] } })).toBeUndefined();
  });

  test("finds a list that is no beginning of the longest one", async () => {
    const appended = [transaction([append("a", 1)], [1, 2]), transaction([append("a", 2)], [1, 2])];
    const reads = [transaction([read("a", 2)], [3, 4]), transaction([read("a", 1, 2)], [3, 4])];
    expect(await find([...appended, ...reads])).toBe(
      'partition "p": clerk 3 in step 1 read list a as [2], which is not a prefix of [1, 2]',
    );
  });

  test("finds an append that is doubled, that failed, or that is lost", async () => {
    const one = transaction([append("a", 1)], [1, 2]);
    expect(await find([one, transaction([read("a", 1, 1)], [3, 4])])).toContain("which contains 1 twice");
    const failed = { ...one, outcome: "failed" } as const;
    expect(await find([failed, transaction([read("a", 1)], [3, 4])])).toContain("the append of 1 failed");
    expect(await find([transaction([read("a", 7)], [3, 4])])).toContain("the append of 7 is unknown");
    expect(await find([one, transaction([read("a")], [3, 4])])).toContain(
      "clerk 1 in step 1 appended 1 to list a, but clerk 3 in step 1 does not contain it",
    );
    expect(await find([one], { p: { a: [] } })).toContain("the final state does not contain it");
    expect(await find([{ ...one, outcome: "unknown" }], { p: { a: [] } })).toBeUndefined();
  });

  test("finds a transaction that is seen in parts", async () => {
    const whole = transaction([append("a", 1), append("b", 1)], [1, 5]);
    const torn = transaction([read("a", 1), read("b")], [2, 3]);
    const history = [whole, torn, transaction([read("a", 1), read("b", 1)], [6, 7])];
    expect(await find(history)).toContain("no order of the transactions explains what they read");
  });

  test("finds two transactions that did not see each other", async () => {
    const history = [
      transaction([read("b"), append("a", 1)], [1, 5]),
      transaction([read("a"), append("b", 1)], [2, 6]),
      transaction([read("a", 1), read("b", 1)], [7, 8]),
    ];
    expect(await find(history)).toContain("read list b without 1");
  });

  /** Lists of a partition in one row each: read and appended to by one save, or, as a bug, by one for each list. */
  const listing = (saves: 1 | 2): Scenario<"editor" | "reader"> => {
    class List extends defineEntity({
      table: "Lists",
      partitionKey: { group: text() },
      rowKey: { name: text() },
      properties: { values: json<string[]>() },
      proof: "marker",
    }) {}
    const [group, names] = ["p", ["a", "b"]];
    const readAll = (context: TableContext): Promise<List[]> =>
      context.query(List).where({ group }).toArray();
    return scenario({
      classes: [List],
      setup(context) {
        for (const name of names) context.add(new List({ group, name, values: [] }));
      },
      actors: {
        editor: ({ context, observe, number, step }) =>
          observe.lists(group).transact(async ({ append: appendTo, read: readFrom }) => {
            for (const row of await readAll(context)) {
              readFrom(row.name, row.values);
              row.values = [...row.values, `${number}.${step}`];
              appendTo(row.name, `${number}.${step}`);
              if (saves === 2) await context.saveChanges();
            }
            await context.saveChanges({ batch: "atomic" });
          }),
        reader: ({ context, observe }) =>
          observe.lists(group).transact(async ({ read: readFrom }) => {
            for (const { name, values } of await readAll(context)) readFrom(name, values);
          }),
      },
      check: appends({
        stored: async ({ openContext }) => ({
          [group]: Object.fromEntries(
            (await readAll(openContext())).map(({ name, values }) => [name, values]),
          ),
        }),
      }),
    });
  };

  test("accepts lists that are read and appended to in one transaction, under faults", async () => {
    await expect(run(listing(1), { ...quick, faults })).resolves.toMatchObject({ runs: 30 });
  });

  test("finds lists that are appended to in two transactions", async () => {
    await expect(run(listing(2))).rejects.toThrow("no order of the transactions explains what they read");
  });
});

// Histories by hand: whatever a context would report of them, the check compares it with what happened.
describe("outcomes", () => {
  const order = { sent: 0 };
  const merge = (value: number): WriteOperation => ({
    type: "merge",
    entity: { PartitionKey: "p", RowKey: "r", value },
    etag: "1",
  });
  const remove: WriteOperation = {
    type: "delete",
    key: { partitionKey: "p", rowKey: "r" },
    etag: "1",
  };
  const sent = (more: Partial<JournalEntry>): JournalEntry => ({
    number: ++order.sent,
    id: `clerk 1/1/${order.sent}`,
    actor: "clerk 1",
    step: 1,
    type: "write",
    table: "Things",
    operations: [merge(1)],
    asked: "",
    attempt: 1,
    save: 1,
    fault: undefined,
    outcome: "applied",
    sentAt: 0,
    respondedAt: 1,
    executedAt: 1,
    sent: 0,
    responded: 1,
    executed: 1,
    error: undefined,
    refusal: undefined,
    rows: [],
    etags: [],
    ...more,
  });
  const reported = (
    outcome: SaveResult["outcome"],
    { operation = "merge", ...more }: Partial<ReportedResult> & { operation?: SaveResult["operation"] } = {},
  ): ReportedResult => ({
    order: 10,
    at: 10,
    actor: "clerk 1",
    step: 1,
    context: 1,
    save: 1,
    table: "Things",
    partitionKey: "p",
    rowKey: "r",
    entity: 1,
    wants: '[["value",1]]',
    revision: 0,
    isLast: false,
    result: { entity: {}, subject: "Thing", operation, attempts: 1, ...resultOf(outcome) },
    ...more,
  });
  const resultOf = (
    outcome: SaveResult["outcome"],
  ): Pick<CommittedResult, "outcome" | "evidence"> | Pick<FailedResult, "outcome" | "error"> =>
    outcome === "committed" ? { outcome, evidence: "response" } : { outcome, error: new Error("conflict") };
  const find = async (
    check: ReturnType<typeof outcomes>,
    entries: readonly JournalEntry[],
    results: readonly ReportedResult[],
    { stuck = [], saves = [] }: { stuck?: readonly string[]; saves?: Journal["saves"] } = {},
  ): Promise<unknown> => {
    const journal: Journal = {
      entries,
      saves,
      results,
      observations: [] as Observation[],
      failedSteps: [],
      clocks: [],
    };
    return check.begin({ journal, stuck } as unknown as SimulatedRun).atEnd?.();
  };
  const late = { fault: "timeout-late", executed: 20, executedAt: 20, error: "storage.timeout" } as const;
  const never = { outcome: "never", executed: 0, executedAt: undefined } as const;

  test("accepts what is reported as it was", async () => {
    expect(await find(outcomes(), [sent({})], [reported("committed")])).toBeUndefined();
    expect(await find(outcomes(), [sent({ outcome: "refused" })], [reported("rejected")])).toBeUndefined();
    expect(await find(outcomes(), [sent(late)], [reported("unknown")])).toBeUndefined();
    // The second attempt was refused because of the first.
    const twice = [sent({ fault: "reset-after" }), sent({ outcome: "refused", attempt: 2 })];
    expect(await find(outcomes(), twice, [reported("committed")])).toBeUndefined();
  });

  test("finds a change that is committed and was not applied", async () => {
    const finding = await find(outcomes(), [sent(never)], [reported("committed")]);
    expect(finding).toBe(
      "clerk 1 reported the merge of Thing as committed at 0.010 s, and none of its requests had been applied",
    );
  });

  test("takes equal values for a success where there is no marker, unless it is strict", async () => {
    const lost = sent(never);
    const read = sent({
      type: "get",
      operations: [],
      save: undefined,
      outcome: "read",
      rows: [{ PartitionKey: "p", RowKey: "r", value: 1, other: true }],
    });
    const history = [lost, read];
    expect(await find(outcomes(), history, [reported("committed")])).toBeUndefined();
    expect(await find(outcomes({ strict: true }), history, [reported("committed")])).toContain(
      "none of its requests",
    );

    const marker: WriteOperation = { type: "insert", entity: { PartitionKey: "p", RowKey: "~w~id" } };
    const withMarker = [{ ...lost, operations: [marker, merge(1)] }, read];
    expect(await find(outcomes(), withMarker, [reported("committed")])).toContain("none of its requests");
    const differs = [lost, { ...read, rows: [{ PartitionKey: "p", RowKey: "r", value: 2 }] }];
    expect(await find(outcomes(), differs, [reported("committed")])).toContain("none of its requests");
  });

  test("finds a change that is committed before it is applied", async () => {
    expect(await find(outcomes(), [sent(late)], [reported("committed")])).toContain(
      "none of its requests had been applied",
    );
  });

  test("finds a change that is committed and was not sent", async () => {
    expect(await find(outcomes(), [], [reported("committed")])).toContain("no request had been sent for it");
  });

  test("finds a change that is rejected and was applied, or is applied later", async () => {
    expect(await find(outcomes(), [sent({})], [reported("rejected")])).toContain("had been applied");
    const attempts = [sent(late), sent({ outcome: "refused", attempt: 2 })];
    expect(await find(outcomes(), attempts, [reported("rejected")])).toContain("was applied later");
  });

  test("takes saves of the same change together, until one has an end", async () => {
    const [first, second] = [sent(late), sent({ ...never, save: 2 })];
    const results = [reported("unknown"), reported("rejected", { save: 2, order: 15 })];
    expect(await find(outcomes(), [first, second], results)).toContain("was applied later");

    const applied = sent({ save: 2, operations: [merge(1)] });
    const ended = [reported("rejected"), reported("committed", { save: 2, order: 15 })];
    expect(await find(outcomes(), [sent(never), applied], ended)).toBeUndefined();
  });

  test("takes a change that was altered for another one", async () => {
    const other = sent({ ...never, save: 2, operations: [merge(2)] });
    const altered = { save: 2, wants: '[["value",2]]' };
    const results = [reported("unknown"), reported("rejected", { ...altered, order: 15 })];
    expect(await find(outcomes(), [sent(late), other], results)).toBeUndefined();
    const wrong = [reported("unknown"), reported("committed", { ...altered, order: 25 })];
    expect(await find(outcomes(), [sent(late), other], wrong)).toContain(
      "none of its requests had been applied",
    );
  });

  test("knows a change by what its entity asks for, whatever request it is sent in", async () => {
    const row = { PartitionKey: "p", RowKey: "r", value: 1 };
    const again = { save: 2, order: 15 } as const;
    const wholeRow = sent({ ...never, save: 2, operations: [{ type: "replace", entity: row, etag: "2" }] });
    const replaced = [reported("unknown"), reported("rejected", { ...again, operation: "replace" })];
    expect(await find(outcomes(), [sent(late), wholeRow], replaced)).toContain("was applied later");

    // An upsert of a class with indexes reads the row, and is sent as an insert, or under the version that was read.
    const asInsert = sent({ operations: [{ type: "insert", entity: row }] });
    const upserted = reported("committed", { operation: "upsert-merge" });
    expect(await find(outcomes(), [asInsert], [upserted])).toBeUndefined();
  });

  test("takes a removal by another entity of the same key for another one", async () => {
    const asked = { operation: "delete", wants: "delete" } as const;
    const first = sent({ ...late, operations: [remove] });
    const second = sent({ save: 2, operations: [remove], outcome: "refused" });
    const results = (entity: number): ReportedResult[] => [
      reported("unknown", asked),
      reported("rejected", { ...asked, entity, save: 2, order: 15 }),
    ];
    expect(await find(outcomes(), [first, second], results(1))).toContain("was applied later");
    expect(await find(outcomes(), [first, second], results(2))).toBeUndefined();
  });

  test("accepts a change of which a later attempt was applied before an earlier one", async () => {
    const attempts = [sent(late), sent({ attempt: 2 })];
    expect(await find(outcomes(), attempts, [reported("committed")])).toBeUndefined();
  });

  test("takes what a save finds stored of an earlier change for that one, though the entity was altered", async () => {
    const altered = { save: 2, order: 25, wants: '[["value",2]]' };
    const proved = reported("committed", altered);
    const result = { ...proved.result, attempts: 0 };
    const results = [reported("unknown"), { ...proved, result }, reported("rejected", altered)];
    expect(await find(outcomes(), [sent(late)], results)).toBeUndefined();
    expect(await find(outcomes(), [sent(never)], results)).toContain("no request had been sent for it");
    // Another program's equal values count as well.
    const lost = sent(never);
    const read = sent({
      type: "get",
      operations: [],
      save: undefined,
      outcome: "read",
      rows: [{ PartitionKey: "p", RowKey: "r", value: 1 }],
    });
    expect(await find(outcomes(), [lost, read], results)).toBeUndefined();
    expect(await find(outcomes({ strict: true }), [lost, read], results)).toContain("none of its requests");
  });

  test("compares what is resolved with what was sent before", async () => {
    const results = [reported("unknown"), reported("rejected", { save: undefined, order: 15 })];
    expect(await find(outcomes(), [sent(late)], results)).toContain("was applied later");
    expect(await find(outcomes(), [sent(never)], results)).toBeUndefined();
  });

  test("finds a removal that is committed and was another writer's, unless its evidence says so", async () => {
    const refused = [sent({ operations: [remove], outcome: "refused" })];
    const result = { operation: "delete" } as const;
    expect(await find(outcomes(), refused, [reported("committed", result)])).toContain("the delete of Thing");
    const gone = reported("committed", result);
    const evident = { ...gone, result: { ...gone.result, evidence: "gone" } as SaveResult };
    expect(await find(outcomes(), refused, [evident])).toBeUndefined();
  });

  describe("atomicGroups", () => {
    const other: WriteOperation = { type: "insert", entity: { PartitionKey: "p", RowKey: "s", value: 1 } };
    const startedSave = (number: number, options: SaveOptions): StartedSave => ({
      number,
      actor: "clerk 1",
      step: 1,
      context: 1,
      options,
    });
    const atomic = [startedSave(1, { batch: "atomic" })];
    const both = (outcome: SaveResult["outcome"], save = 1): ReportedResult[] => [
      reported(outcome, { save }),
      reported(outcome, { save, rowKey: "s", entity: 2, operation: "insert" }),
    ];

    test("accepts a group that is stored completely, or not at all", async () => {
      const complete = [sent({ operations: [merge(1), other] })];
      expect(await find(atomicGroups(), complete, both("committed"), { saves: atomic })).toBeUndefined();
      const refused = [sent({ outcome: "refused" })];
      expect(await find(atomicGroups(), refused, both("rejected"), { saves: atomic })).toBeUndefined();
    });

    test("finds a group that is stored in parts, which other saves may be", async () => {
      const parts = [sent({}), sent({ operations: [other] })];
      expect(await find(atomicGroups(), parts, both("committed"), { saves: atomic })).toMatch(
        /request \d+ of clerk 1 stored the merge of Thing without the insert of Thing/,
      );
      const saves = [startedSave(1, {})];
      expect(await find(atomicGroups(), parts, both("committed"), { saves })).toBeUndefined();
    });

    test("accepts that a removal is left out, unless it must win", async () => {
      const rest = [sent({ operations: [other] })];
      const [removal, insert] = both("committed") as [ReportedResult, ReportedResult];
      const result = { ...removal.result, operation: "delete", evidence: "gone" } as SaveResult;
      const results = [{ ...removal, result }, insert];
      expect(await find(atomicGroups(), rest, results, { saves: atomic })).toBeUndefined();
      const saves = [startedSave(1, { batch: "atomic", removeMissing: "error" })];
      expect(await find(atomicGroups(), rest, results, { saves })).toContain("without the delete of Thing");
    });

    test("finds a later save that stores a part of a group whose response was lost", async () => {
      const lost = sent({ ...never, fault: "reset-before", operations: [merge(1), other] });
      const part = sent({ save: 2, operations: [other] });
      const [merged, inserted] = both("unknown", 2) as [ReportedResult, ReportedResult];
      const results = [...both("unknown"), merged, { ...inserted, result: both("committed")[1]!.result }];
      const saves = [...atomic, startedSave(2, { batch: "none" })];
      expect(await find(atomicGroups(), [lost, part], results, { saves })).toContain(
        "without the merge of Thing",
      );
      // After a minute it is known that it was not stored.
      const later = { ...part, sentAt: 61_000 };
      expect(await find(atomicGroups(), [lost, later], results, { saves })).toBeUndefined();
      // What was edited in between is another change.
      const edited = results.map((one) => (one === merged ? { ...one, wants: "[]" } : one));
      expect(await find(atomicGroups(), [lost, part], edited, { saves })).toBeUndefined();
    });
  });

  describe("sessions", () => {
    const version = (etag: string): Partial<JournalEntry> => ({
      type: "get",
      operations: [],
      outcome: "read",
      asked: "(p, r)",
      rows: [{ PartitionKey: "p", RowKey: "r", "odata.etag": etag }],
    });
    const at = (order: number): Partial<JournalEntry> => ({
      sent: order - 1,
      responded: order,
      executed: order,
    });
    const writes = [sent({ ...at(1), etags: ["1"] }), sent({ ...at(2), etags: ["2"], actor: "clerk 2" })];

    test("accepts reads that go forward, whatever others have written", async () => {
      const reads = [sent({ ...version("1"), ...at(3) }), sent({ ...version("2"), ...at(4) })];
      expect(await find(sessions(), [...writes, ...reads], [])).toBeUndefined();
    });

    test("finds a read that misses the actor's own write, and takes a missing row for an older version", async () => {
      const stale = sent({ ...version("1"), ...at(3), actor: "clerk 2" });
      expect(await find(sessions(), [...writes, stale], [])).toMatch(
        /clerk 2 read an older version of Things \(p, r\) by request \d+ than it had written by request/,
      );
      expect(await find(sessions({ readYourWrites: false }), [...writes, stale], [])).toBeUndefined();
      expect(await find(sessions(), [...writes, { ...stale, rows: [] }], [])).toContain("an older version");
      // It was sent before the write was acknowledged.
      expect(await find(sessions(), [...writes, { ...stale, sent: 1 }], [])).toBeUndefined();
    });

    test("finds reads that go back, and accepts a row that was removed", async () => {
      const [second, first] = [sent({ ...version("2"), ...at(3) }), sent({ ...version("1"), ...at(4) })];
      expect(await find(sessions(), [...writes, second, first], [])).toContain(
        "had been returned by its request",
      );
      expect(await find(sessions({ monotonicReads: false }), [...writes, second, first], [])).toBeUndefined();
      const removal = sent({ ...at(5), operations: [remove], etags: [undefined] });
      const gone = sent({ ...version(""), ...at(6), rows: [] });
      expect(await find(sessions(), [...writes, second, removal, gone], [])).toBeUndefined();
      expect(await find(sessions(), [...writes, second, removal, { ...first, ...at(6) }], [])).toContain(
        "older",
      );
    });
  });

  test("nothingStuck finds what stays in doubt, and what stays unknown where it may not", async () => {
    const last = reported("unknown", { isLast: true, save: undefined });
    expect(await find(nothingStuck(), [], [last])).toBeUndefined();
    expect(await find(nothingStuck(), [], [], { stuck: ["merge of Thing"] })).toBe(
      "still in doubt after resolveInDoubt({ wait: true }): merge of Thing",
    );
    expect(await find(nothingStuck({ mayStayUnknown: false }), [], [last])).toContain("unknown after");
  });
});
