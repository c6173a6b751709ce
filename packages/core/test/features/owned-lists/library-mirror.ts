// The library beside the model: performs each step of a history with a `TableContext`, and compares.

import type { FaultPlan } from "@partita/testing";
import { withFaults } from "@partita/testing";
import { definedClasses, type LineEntity, type OrderEntity } from "@partita/test-support/domain/classes";
import { warningsDuring } from "@partita/test-support/warnings";
import { expect } from "vitest";
import {
  type Children,
  type ConflictError,
  type SaveError,
  type SaveResult,
  TableContext,
  type TableStorage,
} from "../../../src/index.ts";
import { noRetry } from "../../../src/rest.ts";
import type { WriteOperation } from "../../../src/storage.ts";
import type { ListFault } from "./commands.ts";
import type { Mirror, SentBatch } from "./history.ts";
import type { Change, Entry, ModelContext, Outcome, Problem, TrackingOption } from "./model.ts";
import { type ModelStore, parentOf } from "./model-store.ts";

const { Order, Line } = definedClasses;
type Entity = OrderEntity | LineEntity;

export class LibraryMirror implements Mirror {
  readonly #inner: TableStorage;
  readonly #tenant: string;
  readonly #context: TableContext;
  /** The library's instance of each of the model's. */
  readonly #entities = new Map<Entry, Entity>();
  #sent: SentBatch[] = [];
  #faults: (ListFault | undefined)[] = [];
  #results: readonly SaveResult[] = [];
  #planned: readonly Change[] = [];

  /** @param tenant - a partition that no other history uses */
  constructor(inner: TableStorage, tenant: string) {
    this.#inner = inner;
    this.#tenant = tenant;
    const plan: FaultPlan = ({ operations }) => {
      if (operations.length === 0) return undefined;
      const fault = this.#faults.shift();
      this.#sent.push({ keys: operations.map(keyOfRow), fault });
      return fault;
    };
    this.#context = new TableContext(withFaults(inner, plan), { retry: noRetry });
  }

  async put(key: string, value: number): Promise<void> {
    const values =
      parentOf(key) === undefined ? { Kind: "Order", total: value } : { Kind: "Line", sku: "x", qty: value };
    const entity = { PartitionKey: this.#tenant, RowKey: rowKeyOf(key), ...values };
    await this.#inner.write("Orders", { type: "upsert-replace", entity });
  }

  async delete(key: string): Promise<void> {
    const stored = { partitionKey: this.#tenant, rowKey: rowKeyOf(key) };
    await this.#inner.write("Orders", { type: "delete", key: stored, etag: "*" });
  }

  async find(id: string, expected: Entry | undefined): Promise<void> {
    const found = await this.#context.find(Order, { tenant: this.#tenant, id });
    this.#meet(found, expected);
  }

  async include(id: string, option: TrackingOption, expected: Entry | undefined): Promise<void> {
    let found: OrderEntity | undefined;
    const query = this.#context.query(Order).where({ tenant: this.#tenant, id }).mergeOption(option);
    // A line that lost its order to another writer is reported by a warning.
    await warningsDuring(async () => {
      [found] = await query.include((o) => o.lines).toArray();
    });
    this.#meet(found, expected);
    if (expected === undefined || found === undefined) return;
    for (const line of new Set(expected.list)) {
      if (this.#entities.has(line)) continue;
      const no = Number(line.key.split("!")[1]);
      const fresh = found.lines?.find((each) => each.no === no && !this.#isKnown(each));
      this.#entities.set(line, fresh ?? expect.unreachable(`the list does not show ${line.key}`));
    }
  }

  create(order: Entry): void {
    const lines = (order.list ?? []).map(({ key, value }) => ({
      no: Number(key.split("!")[1]),
      sku: "x",
      qty: value,
    }));
    const made = this.#context.create(Order, {
      tenant: this.#tenant,
      id: order.key,
      total: order.value,
      lines,
    });
    this.#entities.set(order, made);
    for (const [i, line] of (order.list ?? []).entries())
      this.#entities.set(line, made.lines?.[i] as LineEntity);
  }

  createIn(order: Entry, line: Entry, isMade: boolean): void {
    const values = { no: Number(line.key.split("!")[1]), sku: "x", qty: line.value };
    const make = (): LineEntity => this.#context.createIn(this.#orderOf(order), "lines", values);
    if (isMade) this.#entities.set(line, make());
    else expect(make).toThrow(expect.objectContaining({ code: "entity.duplicate-key" }) as Error);
  }

  setList(order: Entry, isMutated: boolean): void {
    const entity = this.#orderOf(order);
    const members = order.list?.map((line) => this.#lineOf(line)) as Children<LineEntity> | undefined;
    if (isMutated && entity.lines !== undefined && members !== undefined)
      entity.lines.splice(0, entity.lines.length, ...members);
    else entity.lines = members;
  }

  setValue(entry: Entry): void {
    const entity = this.#entities.get(entry) ?? this.#lineOf(entry);
    if (entity instanceof Order) entity.total = entry.value;
    else entity.qty = entry.value;
  }

  call(method: "remove" | "detach" | "touch" | "discard", entry: Entry): void {
    this.#context[method](this.#entities.get(entry) as Entity);
  }

  reload(entry: Entry, keepsEdits: boolean): Promise<void> {
    const mergeOption = keepsEdits ? "preserveChanges" : "overwriteChanges";
    return this.#context.reload(this.#entities.get(entry) as Entity, { mergeOption });
  }

  clear(): void {
    this.#context.clear({ discard: true });
  }

  compare(): void {
    this.#context.pendingChanges();
  }

  async refuse(code: Problem | "save.not-atomic", isAtomic: boolean): Promise<void> {
    this.#sent = [];
    const error = await this.#context.saveChanges({ batch: isAtomic ? "atomic" : "auto" }).then(
      () => expect.unreachable(`the save was to be refused with ${code}`),
      (reason: unknown) => reason as SaveError,
    );
    const codes = [error, ...(error.results ?? []).map((result) => result.error)].map(
      (one) => (one as SaveError)?.code,
    );
    expect(codes).toContain(code);
    expect(this.#sent).toEqual([]);
  }

  async save(
    changes: readonly Change[],
    faults: readonly (ListFault | undefined)[],
    isAtomic: boolean,
  ): Promise<readonly SentBatch[]> {
    const pending = this.#context.pendingChanges();
    expect(pending.map(({ entity, state }) => [keyOf(entity), state]).toSorted(byKey)).toEqual(
      changes.map(({ entry, state }) => [entry.key, state]).toSorted(byKey),
    );
    this.#sent = [];
    this.#planned = changes;
    this.#faults = [...faults];
    this.#results = await this.#context
      .saveChanges({ batch: isAtomic ? "atomic" : "auto", concurrency: 1 })
      .catch((error: SaveError) => {
        if (error.code === "save.failed") return error.results;
        throw error;
      });
    this.#faults = [];
    checkBatches(changes, this.#sent);
    return this.#sent;
  }

  checkOutcomes(expected: ReadonlyMap<Entry, Outcome>): void {
    const found = this.#results.map(({ entity, outcome, error, aborted }) => {
      const code = (error as ConflictError | undefined)?.code;
      const isConflict = outcome === "rejected" && aborted !== true && code?.startsWith("conflict.") === true;
      return [keyOf(entity), isConflict ? code : outcome];
    });
    const wanted = [...expected].map(([{ key }, outcome]) => [key, outcome]);
    expect(found.toSorted(byKey)).toEqual(wanted.toSorted(byKey));
    checkFamilies(this.#planned, expected);
  }

  async check(model: ModelContext, store: ModelStore): Promise<void> {
    expect(await this.#rows()).toEqual(
      Object.fromEntries([...store.rows].map(([key, { value }]) => [key, value])),
    );
    for (const entry of model.tracked.values()) {
      const entity = this.#entities.get(entry);
      if (entity === undefined) continue;
      expect([entry.key, entity instanceof Order ? entity.total : entity.qty]).toEqual([
        entry.key,
        entry.value,
      ]);
      if (parentOf(entry.key) === undefined && entry.state !== "removed") this.#checkList(entry);
    }
  }

  /** Both lists show the same members, apart from those that calls have taken. */
  #checkList(order: Entry): void {
    const { lines } = this.#orderOf(order);
    const taken = new Set<object | undefined>();
    for (const [entry, entity] of this.#entities)
      if (entry.state === "left" || entry.state === "removed") taken.add(entity);
    const shown = [...new Set(lines)].filter((line) => !taken.has(line));
    expect(new Set(shown)).toEqual(new Set(order.members.map((line) => this.#lineOf(line))));
    expect(shown.every((line) => order.members.some((member) => this.#entities.get(member) === line))).toBe(
      true,
    );
  }

  /** The rows of this history, by the model's keys. */
  async #rows(): Promise<Record<string, unknown>> {
    const literal = { edm: "Edm.String", value: this.#tenant } as const;
    const { entities } = await this.#inner.query("Orders", {
      filter: { op: "eq", name: "PartitionKey", literal },
    });
    return Object.fromEntries(entities.map((row) => [modelKeyOf(row.RowKey), row["total"] ?? row["qty"]]));
  }

  #meet(found: Entity | undefined, expected: Entry | undefined): void {
    expect(found === undefined).toBe(expected === undefined);
    if (found === undefined || expected === undefined) return;
    const known = this.#entities.get(expected);
    if (known === undefined) this.#entities.set(expected, found);
    else expect(found).toBe(known);
  }

  #isKnown(entity: object): boolean {
    return [...this.#entities].some(([{ state }, each]) => each === entity && state !== "left");
  }

  #orderOf(entry: Entry): OrderEntity {
    return this.#entities.get(entry) as OrderEntity;
  }

  /** The library's instance of a line; a new one where the program has just made it. */
  #lineOf(entry: Entry): LineEntity {
    const known = this.#entities.get(entry);
    if (known !== undefined) return known as LineEntity;
    const [id = "", no] = entry.key.split("!");
    const made = new Line({ tenant: this.#tenant, id, no: Number(no), sku: "x", qty: entry.value });
    this.#entities.set(entry, made);
    return made;
  }
}

const rowKeyOf = (key: string): string => {
  const [id = "", no] = key.split("!");
  return no === undefined ? id : `${id}!${no.padStart(4, "0")}`;
};

const modelKeyOf = (rowKey: string): string => {
  const [id = "", no] = rowKey.split("!");
  return no === undefined ? id : `${id}!${Number(no)}`;
};

const keyOf = (entity: object): string =>
  entity instanceof Line ? `${entity.id}!${entity.no}` : (entity as OrderEntity).id;

const keyOfRow = (operation: WriteOperation): string =>
  modelKeyOf(operation.type === "delete" ? operation.key.rowKey : operation.entity.RowKey);

const byKey = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);

/** What fits one transaction is sent in one; else a parent is first when it is added, and last when it is removed. */
function checkBatches(changes: readonly Change[], sent: readonly SentBatch[]): void {
  const planned = new Map(changes.map((change) => [change.entry.key, change]));
  const keys = sent.flatMap((batch) => batch.keys);
  expect(new Set(keys).size, "no row is written twice").toBe(keys.length);
  for (const key of keys) expect(planned.has(key), `${key} had no change`).toBe(true);
  for (const batch of sent) expect(batch.keys.length).toBeLessThanOrEqual(100);
  if (changes.length > 0 && changes.length <= 100) expect(sent).toHaveLength(1);
  const batchOf = new Map(sent.flatMap((batch, i) => batch.keys.map((key) => [key, i] as const)));
  for (const [key, at] of batchOf) {
    const parent = planned.get(parentOf(key) ?? "");
    const parentAt = batchOf.get(parentOf(key) ?? "");
    if (parent?.state === "added")
      expect(parentAt, `${key} is sent before its order`).toBeLessThanOrEqual(at);
    if (parent?.state === "deleted" && parentAt !== undefined) expect(parentAt).toBeGreaterThanOrEqual(at);
  }
}

/** No line is stored without an order that was to be added, and no order is removed before all of its lines. */
function checkFamilies(changes: readonly Change[], outcomes: ReadonlyMap<Entry, Outcome>): void {
  const orders = new Map(changes.map((change) => [change.entry.key, change]));
  for (const { entry } of changes) {
    const parent = orders.get(parentOf(entry.key) ?? "");
    if (parent === undefined) continue;
    const isParentDone = outcomes.get(parent.entry) === "committed";
    const isDone = outcomes.get(entry) === "committed";
    if (parent.state === "added" && isDone) expect(isParentDone, `${entry.key} without its order`).toBe(true);
    if (parent.state === "deleted" && isParentDone) expect(isDone, `${entry.key} is left`).toBe(true);
  }
}
