import { isFull } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { lawParts } from "@partita/test-support/seed";
import { expect, test } from "vitest";
import { type Command, command } from "./commands.ts";
import { History, type OnTransaction, type SaveReport } from "./history.ts";
import type { Entry } from "./model-entry.ts";
import { parentOf } from "./model-store.ts";

/** Small, so that most saves need several transactions. */
const limit = 2;

/** No line that this save stores or removes is visible without its order. */
const checkParents: OnTransaction = (store, changes, before) => {
  for (const { entry } of changes) {
    const parent = parentOf(entry.key);
    if (parent === undefined || !store.rows.has(entry.key)) continue;
    const isAdded = changes.some((change) => change.entry.key === parent && change.state === "added");
    if (before.has(parent) || isAdded)
      expect(store.rows.has(parent), `${entry.key} without its order`).toBe(true);
  }
};

/** Follows a history, and checks what must hold whatever the rules in detail are. */
class Watch {
  readonly history = new History(limit, undefined, checkParents);
  /** Every line that this context has had in a list, or was told to remove. */
  readonly #seen = new Set<Entry>();
  /** The order whose list last had a line. */
  readonly #listedIn = new Map<Entry, Entry>();

  async perform(step: Command): Promise<void> {
    this.#note();
    const { store } = this.history;
    const before = new Map(store.rows);
    const putIn = this.#putIn();
    const report = await this.history.perform(step);
    this.#note();
    if (step.type === "include") this.#checkKept(putIn);
    if (report === undefined) return;
    this.#checkRows(report, before);
    if ([...report.outcomes.values()].some((outcome) => outcome !== "committed")) return;
    this.#checkNothingLost();
    expect(this.history.context.plan(), "a second save has nothing to do").toEqual([]);
  }

  #note(): void {
    for (const entry of this.history.context.tracked.values()) {
      for (const line of entry.list ?? []) {
        this.#seen.add(line);
        this.#listedIn.set(line, entry);
      }
      if (entry.state === "removed") this.#seen.add(entry);
    }
  }

  /** The new lines of each list. */
  #putIn(): Map<Entry, readonly Entry[]> {
    const orders = [...this.history.context.tracked.values()];
    return new Map(orders.map((order) => [order, order.members.filter(isNew)]));
  }

  /** Reading a list again keeps what was put in. */
  #checkKept(putIn: ReadonlyMap<Entry, readonly Entry[]>): void {
    for (const [order, lines] of putIn) for (const line of lines) expect(order.list).toContain(line);
  }

  /** Rows without a committed change are as they were; only what the program has seen is removed. */
  #checkRows({ changes, outcomes }: SaveReport, before: ReadonlyMap<string, object>): void {
    const { rows } = this.history.store;
    const committed = changes.filter(({ entry }) => outcomes.get(entry) === "committed");
    const touched = new Set(committed.map(({ entry }) => entry.key));
    for (const [key, row] of before) if (!touched.has(key)) expect(rows.get(key)).toBe(row);
    for (const { entry, state } of committed) {
      if (state === "added") this.#checkStillListed(entry);
      if (state !== "deleted") continue;
      expect(this.#seen.has(entry), `${entry.key} was never shown`).toBe(true);
      expect(rows.has(entry.key)).toBe(false);
      for (const { list = [] } of this.history.context.tracked.values()) expect(list).not.toContain(entry);
    }
  }

  /** A new line that has left the list before it was stored is not stored. */
  #checkStillListed(line: Entry): void {
    const order = this.history.context.tracked.get(parentOf(line.key) ?? "");
    if (order?.list !== undefined && this.#listedIn.get(line) === order) expect(order.list).toContain(line);
  }

  /** Every member that a list has is stored, with the value that the program sees. */
  #checkNothingLost(): void {
    for (const { list, state } of this.history.context.tracked.values()) {
      if (state === "removed") continue;
      for (const line of list ?? []) {
        if (line.state === "left" || line.state === "removed") continue;
        expect(line.state).toBe("stored");
        expect(line.row?.value).toBe(line.value);
      }
    }
  }
}

const isNew = ({ state }: Entry): boolean => state === "new" || state === "loose";

async function follow(commands: readonly Command[]): Promise<void> {
  const watch = new Watch();
  await watch.history.begin();
  for (const step of commands) await watch.perform(step);
}

const numRuns = Number(process.env["PARTITA_LIST_MODEL_RUNS"] ?? (isFull ? 20_000 : 5000));

for (const { part, options } of lawParts(numRuns, 2))
  test(`random histories of the model remove nothing unseen, lose nothing, and leave no line without its order (${part})`, async () => {
    const commands = fc.array(command, { maxLength: 30, size: "max" });
    await expect(fc.assert(fc.asyncProperty(commands, follow), options)).resolves.toBeUndefined();
  });

test("members that another writer stored survive a list that does not show them", async () => {
  const { store, context } = new History(limit, undefined);
  for (const key of ["1", "1!1", "1!2"]) store.put(key, 1);
  const order = context.include("1", "appendOnly") as Entry;
  store.put("1!3", 1);
  order.list = [];

  const planned = context.plan();

  expect(planned).toMatchObject([{ state: "deleted" }, { state: "deleted" }]);
  for (const change of planned as []) context.send([change]);
  expect([...store.rows.keys()]).toEqual(["1", "1!3"]);
});

test("a line takes the key of one that left the list in the same save", async () => {
  const history = new History(limit, undefined);
  for (const key of ["1", "1!1"]) history.store.put(key, 1);
  history.context.include("1", "appendOnly");

  await history.perform({ type: "replaceAll", order: "1", no: 1, value: 3 });
  const report = await history.perform({ type: "save", faults: [], isAtomic: false });

  expect(report?.changes.map(({ operation }) => operation.type)).toEqual(["replace"]);
  expect(history.store.rows.get("1!1")?.value).toBe(3);
});
