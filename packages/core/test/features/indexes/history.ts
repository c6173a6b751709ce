import { type Fault, type FaultyStorage, manualClock, withFaults } from "@partita/testing";
import { expect } from "vitest";
import {
  ConflictError,
  type EntityClass,
  SaveError,
  type SaveOptions,
  type SaveResult,
  TableContext,
  TableError,
  type TableStorage,
} from "../../../src/index.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";
import { fixed } from "../../../src/rest.ts";
import { upgradeTable } from "@partita/maintenance";
import { kindChooser } from "../../../src/model/codec/choose-kind.ts";
import { storedIndexRows } from "../../../src/model/codec/stored-index-rows.ts";
import { keyOfOperation } from "../../../src/storage/write-operation.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { type At, type Command, ids, type Key, parts, type SaveOf } from "./commands.ts";
import type { AnyEntity, Design, Values } from "./designs.ts";

type AnyQuery = ReturnType<typeof queryOf>;

/** One history: two contexts over a storage with faults, and what is stored after each command. */
export class History {
  readonly #design: Design;
  readonly #inner: TableStorage;
  readonly #prefix: string;
  readonly #storages: FaultyStorage[] = [];
  readonly #contexts: TableContext[] = [];
  readonly #clock = manualClock();
  /** The contexts of which a request has failed. */
  readonly #wasFaulty = new Set<At>();
  /** Every entity that a context was given, or gave. */
  readonly #known: Set<AnyEntity>[] = [];
  #faults: (Fault | undefined)[] = [];
  #isKilled = false;
  /** Whether anything was stored since the rows were compared. */
  #hasWritten = false;
  /** The writes of entities' own rows that were carried out, by context. */
  #executed: { readonly at: At; readonly key: string }[] = [];

  constructor(design: Design, inner: TableStorage, prefix: string) {
    this.#design = design;
    this.#inner = inner;
    this.#prefix = prefix;
    for (const at of [0, 1] as const) {
      this.#storages.push(
        withFaults(this.#observed(at), ({ table }) => {
          if (table !== this.#design.table) return undefined;
          const fault = this.#faults.shift();
          if (fault !== undefined) this.#wasFaulty.add(at);
          return fault ?? (this.#isKilled && this.#faults.length === 0 ? "crash-before" : undefined);
        }),
      );
      this.#open(at);
    }
  }

  #open(at: At): void {
    this.#contexts[at] = new TableContext(this.#storages[at] as FaultyStorage, {
      retry: fixed(3, 0),
      clock: this.#clock,
      upgrade: at === 0 ? "memory" : "write",
    });
    this.#known[at] = new Set();
    this.#wasFaulty.delete(at);
  }

  #observed(at: At): TableStorage {
    const note = (operations: readonly WriteOperation[]): void => {
      this.#hasWritten = true;
      for (const operation of operations) {
        const { partitionKey, rowKey } = keyOfOperation(operation);
        this.#executed.push({ at, key: `${partitionKey} ${rowKey}` });
      }
    };
    const inner = this.#inner;
    return forwardStorage(inner, {
      async write(table, operation, options) {
        const result = await inner.write(table, operation, options);
        note([operation]);
        return result;
      },
      async transact(table, operations, options) {
        const results = await inner.transact(table, operations, options);
        note(operations);
        return results;
      },
    });
  }

  /** Does what a program does; what the library refuses in its own words is part of a history. */
  async perform(command: Command): Promise<unknown> {
    try {
      return await this.#perform(command);
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      return error instanceof SaveError ? [error.code, error.results.map(reported)] : error.code;
    } finally {
      this.#faults = [];
      this.#isKilled = false;
    }
  }

  async #perform(command: Command): Promise<unknown> {
    switch (command.type) {
      case "saveBoth":
        this.#faults = [...command.faults];
        await Promise.all(this.#contexts.map((each) => each.saveChanges(command.options).catch(ignoreKnown)));
        return;
      case "old":
        return this.#insertOld(command.key, command.values);
      case "upgrade":
        return this.#upgrade(command.faults);
      case "save":
        return this.#save(command);
      case "late":
        return this.#storages[command.at]?.settle();
      case "doubt":
        this.#clock.advance(61_000);
        await this.#contexts[command.at]?.resolveInDoubt();
        return;
      case "query":
        return this.#query(command);
      case "bulk": {
        this.#faults = [...command.faults];
        const { change } = command;
        const query = this.#of(command.at, command.part, command.via);
        if (change === "remove") return query.removeAll();
        return query.updateAll((entity) => void Object.assign(entity, change));
      }
      default:
        return this.#performOn(command);
    }
  }

  async #performOn(command: Extract<Command, { key: Key }>): Promise<unknown> {
    const { type } = command;
    if (type === "old") return undefined;
    const context = this.#contexts[command.at] as TableContext;
    const key = this.#keyOf(command.key);
    const known = this.#known[command.at] as Set<AnyEntity>;
    const tracked = ({ part, id }: AnyEntity | typeof key): AnyEntity | undefined =>
      [...known].find(
        (each) => each.part === part && each.id === id && context.entry(each).state !== "detached",
      );
    const entity = tracked(key);
    const made = (values: Values): AnyEntity => {
      const one = this.#made(command.key, values);
      known.add(one);
      return one;
    };
    switch (type) {
      case "add":
        context.add(made(command.values));
        return;
      case "removeNew":
        if (entity === undefined) return;
        context.remove(entity);
        context.add(made(command.values));
        return;
      case "attach":
        context.attach(made(command.values), "*");
        return;
      case "attachNow": {
        const row = await this.#inner.get(this.#design.table, this.#storedKey(command.key));
        if (row !== undefined) context.attach(made(command.values), row["odata.etag"] as string);
        return;
      }
      case "upsert":
        context.upsert(made(command.values), command.mode, { idempotent: command.idempotent });
        return;
      case "find":
        {
          const found = await context.find(this.#classOf(command.key), key);
          if (found !== undefined) known.add(found);
        }
        return;
      case "removeByKey": {
        const row = await this.#inner.get(this.#design.table, this.#storedKey(command.key));
        const etag = command.isAny || row === undefined ? "*" : (row["odata.etag"] as string);
        context.removeByKey(this.#classOf(command.key), key, etag);
        return;
      }
      case "modify":
        this.#faults = [...command.faults];
        await context.modify(this.#classOf(command.key), key, (each) => {
          known.add(each);
          Object.assign(each, command.values);
        });
        return;
      default:
    }
    if (entity === undefined) return;
    switch (type) {
      case "set":
        Object.assign(entity, command.values);
        return;
      case "addBack":
        context.add(entity);
        return;
      case "swap": {
        const other = tracked(this.#keyOf(command.other));
        if (other !== undefined) [entity.mail, other.mail] = [other.mail, entity.mail];
        return;
      }
      case "reload":
        return context.reload(entity, { mergeOption: command.mergeOption });
      case "resolve":
        return context.resolveConflict(entity, command.resolution);
      case "update":
        context.update(entity);
        return;
      case "remove":
        context.remove(entity);
        return;
      case "detach":
        context.detach(entity);
        return;
      case "discard":
        context.discard(entity);
        return;
      default:
    }
  }

  async #save({ at, options, faults, isKilled }: Extract<Command, { type: "save" }>): Promise<unknown> {
    const context = this.#contexts[at] as TableContext;
    const storage = this.#storages[at] as FaultyStorage;
    const hadDoubt = this.#storages.some(({ onTheirWay }) => onTheirWay > 0) || this.#isInDoubt(context);
    this.#executed = [];
    this.#faults = [...faults];
    this.#isKilled = isKilled;
    const requests = storage.requests.length;
    const results = await savedBy(context, options);
    const isFaulty = storage.requests.slice(requests).some(({ fault }) => fault !== undefined);
    if (!isKilled) {
      if (!hadDoubt && storage.onTheirWay === 0) await this.#checkOutcomes(at, results, isFaulty);
      return results.map(reported);
    }
    context.clear({ discard: true });
    this.#open(at);
    return undefined;
  }

  /** What is reported is what was carried out; and what is refused was refused for a reason. */
  async #checkOutcomes(at: At, results: readonly SaveResult[], isFaulty: boolean): Promise<void> {
    const { entities } = await this.#rows();
    for (const { entity, outcome, attempts, error, subject, evidence } of results) {
      const { part, id } = entity as AnyEntity;
      const { partitionKey, rowKey } = this.#storedKey({ part: part.slice(this.#prefix.length), id });
      const isWritten = this.#executed.some(
        (each) => each.at === at && each.key === `${partitionKey} ${rowKey}`,
      );
      if (outcome === "rejected") expect(isWritten, `${subject} was reported as rejected`).toBe(false);
      if (outcome === "committed" && attempts > 0 && evidence === "response")
        expect(isWritten, `${subject} was reported as committed`).toBe(true);
      // What nobody can find out any more stays unknown until the entity is read again.
      if (!isFaulty && !this.#wasFaulty.has(at))
        expect(outcome, `${subject} without a fault`).not.toBe("unknown");
      if (error instanceof ConflictError && error.reason === "unique") {
        const others = [...entities, ...results.map((each) => each.entity as AnyEntity)];
        const { mail, club, rank } = entity as AnyEntity;
        const isTaken = others.some(
          (each) =>
            each.id !== id &&
            each.part === part &&
            (each.mail === mail || (each.club === club && each.rank === rank)),
        );
        expect(isTaken, `${subject} was refused for a value that is free`).toBe(true);
      }
    }
  }

  #isInDoubt(context: TableContext): boolean {
    return context.pendingChanges().some(({ entity }) => context.entry(entity).inDoubt);
  }

  async #insertOld(key: Key, values: Values): Promise<void> {
    const { older, table } = this.#design;
    if (older === undefined) return;
    if ((await this.#inner.get(table, this.#storedKey(key))) !== undefined) return;
    const { club, ...others } = values;
    const entity = Object.assign(new (older as new () => AnyEntity)(), others, this.#keyOf(key), {
      team: club,
    });
    const context = new TableContext(this.#observed(0));
    context.add(entity);
    await context.saveChanges();
  }

  async #upgrade(faults: readonly (Fault | undefined)[]): Promise<void> {
    if (!this.#design.isVersioned) return;
    this.#faults = [...faults];
    await upgradeTable(this.#storages[0] as FaultyStorage, [this.#design.base], { concurrency: 1 });
  }

  /** All entities that are stored now, by their own rows. */
  async entities(): Promise<string[]> {
    return (await this.#rows()).entities.map(shown);
  }

  async #query({
    at,
    part,
    mergeOption,
    select,
    via,
    faults,
  }: Extract<Command, { type: "query" }>): Promise<unknown> {
    this.#faults = [...faults];
    const query = this.#of(at, part, via).mergeOption(mergeOption as "appendOnly");
    const found = await (select.length === 0 ? query : query.select(...select)).toArray();
    for (const entity of found) this.#known[at]?.add(entity as AnyEntity);
    return found.map((entity) => shown(entity as AnyEntity));
  }

  #of(at: At, part: string, via: string): AnyQuery {
    const query = queryOf(this.#contexts[at] as TableContext, this.#design.base).where({
      part: this.#prefix + part,
    });
    return via === "" ? query : query.via(via as never);
  }

  /** All that was on its way has arrived. */
  async end(): Promise<void> {
    for (const storage of this.#storages) await storage.settle();
    for (const context of this.#contexts) {
      await context.resolveInDoubt().catch(ignoreKnown);
      context.clear({ discard: true });
    }
  }

  /** Adds entities whose order differs from index to index. */
  async fill(): Promise<void> {
    const context = new TableContext(this.#observed(0));
    for (const [i, { id, rank, club }] of fillers.entries()) {
      const { classes } = this.#design;
      const entityClass = classes[i % classes.length] as new () => AnyEntity;
      context.add(Object.assign(new entityClass(), this.#keyOf({ part: "a", id }), { rank, club, mail: id }));
    }
    await context.saveChanges();
  }

  /** The rows in indexes are what the entities' own rows make them; and each index finds what it should. */
  async checkRows(): Promise<void> {
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    const { expected, found } = await this.#rows();
    expect(found).toEqual(expected);
  }

  /** Every index of the design finds what the predicate finds among all entities, each once, in the index's order. */
  async checkQueries(seed: number): Promise<void> {
    const { entities } = await this.#rows();
    const context = new TableContext(this.#inner, { mergeOption: "noTracking" });
    const [name, predicate, where] = predicates[seed % predicates.length] as (typeof predicates)[number];
    const part = this.#prefix + (seed % 4 === 0 ? "b" : "a");
    const all = entities.filter((each) => each.part === part && predicate(each));
    const query = queryOf(context, this.#design.base)
      .where({ part })
      .where(where as never);
    const plain = all.toSorted((a, b) => (a.rowKey < b.rowKey ? -1 : 1)).map(shown);
    expect((await query.toArray()).map(shown), `${name} by any way`).toEqual(plain);
    expect((await query.via("primary").toArray()).map(shown), `${name} by the keys`).toEqual(plain);
    expect(await query.count(), `${name} counted`).toBe(plain.length);
    for (const index of new Set(all.flatMap(({ keys }) => [...keys.keys()]))) {
      const keyIn = ({ keys }: FoundEntity): string => keys.get(index) ?? "";
      const inIndex = all
        .filter(({ keys }) => keys.has(index))
        .toSorted((a, b) => (keyIn(a) < keyIn(b) ? -1 : 1))
        .map(shown);
      const via = query.via(index as never);
      const found =
        seed % 3 === 0 ? await pagesOf(via) : await (seed % 3 === 1 ? via : via.fresh()).toArray();
      expect(found.map(shown), `${name} via ${index}`).toEqual(inIndex);
    }
  }

  /** What is stored of this history, and what its entities' own rows make of it. */
  async #rows(): Promise<{ expected: string[]; found: string[]; entities: FoundEntity[] }> {
    const chooser = kindChooser([this.#design.base]);
    const expected: StoredEntity[] = [];
    const found: StoredEntity[] = [];
    const older = new Set<string>();
    const entities: FoundEntity[] = [];
    for (const part of parts)
      for (const row of await this.#storedRows(this.#prefix + part)) {
        if (row.RowKey.startsWith("~w~")) continue;
        if (
          chooser.models.some(({ reservedPrefixes }) =>
            reservedPrefixes.some((each) => row.RowKey.startsWith(each)),
          )
        ) {
          found.push(row);
          continue;
        }
        const model = chooser.choose(row);
        if (model === undefined) throw new Error(`A row of no class: ${row.RowKey}`);
        const rows = storedIndexRows(model, row);
        expected.push(...rows.map(({ operation }) => operation.entity));
        // What an older program copied is as old as its row.
        if (model.version !== undefined && row[model.version.storedName] === undefined)
          for (const { key } of rows) older.add(`${key.partitionKey} ${key.rowKey}`);
        const keys = new Map(rows.map(({ index, key: at }) => [index.name, at.rowKey]));
        entities.push(foundEntity(row, keys));
      }
    const shownAll = (rows: readonly StoredEntity[]): string[] =>
      rows
        .map((row) => shownRow(older.has(`${row.PartitionKey} ${row.RowKey}`) ? inNewForm(row) : row))
        .toSorted();
    return { expected: shownAll(expected), found: shownAll(found), entities };
  }

  async #storedRows(partitionKey: string): Promise<readonly StoredEntity[]> {
    const { entities } = await this.#inner.query(this.#design.table, {
      filter: { op: "eq", name: "PartitionKey", literal: { edm: "Edm.String", value: partitionKey } },
    });
    return entities;
  }

  #keyOf({ part, id }: Key): { part: string; id: string } {
    return { part: this.#prefix + part, id };
  }

  #storedKey({ part, id }: Key): { partitionKey: string; rowKey: string } {
    const prefix = this.#design.table === "Runners" ? "BIB:" : "";
    return { partitionKey: this.#prefix + part, rowKey: prefix + id };
  }

  #classOf({ id }: Key): EntityClass<AnyEntity> {
    const { classes } = this.#design;
    return classes[ids.indexOf(id as (typeof ids)[number]) % classes.length] as EntityClass<AnyEntity>;
  }

  #made(key: Key, values: Values): AnyEntity {
    const entity = new (this.#classOf(key) as new () => AnyEntity)();
    return Object.assign(entity, this.#keyOf(key), values);
  }

  /** Leaves nothing behind. */
  async clear(): Promise<void> {
    for (const part of parts)
      for (const { PartitionKey: partitionKey, RowKey: rowKey } of await this.#storedRows(
        this.#prefix + part,
      ))
        await this.#inner.write(this.#design.table, {
          type: "delete",
          key: { partitionKey, rowKey },
          etag: "*",
        });
  }
}

/** What a save says of one entity, apart from how often it tried. */
const reported = ({ entity, operation, outcome, aborted, error }: SaveResult): unknown => [
  (entity as AnyEntity).id,
  operation,
  outcome,
  aborted,
  error instanceof ConflictError ? error.reason : error instanceof TableError ? error.code : error?.message,
];

interface FoundEntity extends Values {
  readonly part: string;
  readonly id: string;
  readonly rowKey: string;
  /** Its RowKeys in indexes. */
  readonly keys: ReadonlyMap<string, string>;
}

function foundEntity(row: StoredEntity, keys: FoundEntity["keys"]): FoundEntity {
  const { PartitionKey: part, RowKey: rowKey } = row;
  const { rank, mail, note } = row as Values;
  const club = (row["club"] ?? row["team"]) as string | undefined;
  return { part, rowKey, id: rowKey.replace("BIB:", ""), rank, club, mail, note, keys };
}

const fillers = [
  { id: "n1", rank: 6, club: "a" },
  { id: "n2", rank: 5, club: "b" },
  { id: "n3", rank: 5, club: "a" },
  { id: "n4", rank: 4, club: "b" },
] as const;

const queryOf = (context: TableContext, base: EntityClass<AnyEntity>) => context.query(base);

/** All that a query finds, page by page. */
async function pagesOf(query: AnyQuery): Promise<AnyEntity[]> {
  const all: AnyEntity[] = [];
  let after: string | undefined;
  do {
    const page = await query.page({ size: 2, ...(after !== undefined && { after }) });
    all.push(...page.entities);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all;
}

const shown = ({ id, rank, club, mail, note }: Values & { readonly id: string }): string =>
  JSON.stringify([id, rank, club, mail, note]);

/** A copy of an older row, as it is read; rows of unique indexes copy nothing. */
const inNewForm = ({ team, ...row }: StoredEntity): StoredEntity => ({
  ...row,
  ...(team !== undefined && { club: team }),
  ...(row["_k"] === undefined && { SchemaVersion: 2 }),
});

function shownRow(row: StoredEntity): string {
  const { PartitionKey, RowKey, Timestamp: _t, "odata.etag": _e, ...others } = row;
  const names = Object.keys(others).filter((name) => others[name] !== undefined);
  return JSON.stringify([PartitionKey, RowKey, names.toSorted().map((name) => [name, others[name]])]);
}

type Row = Values & { readonly id: string };
type Where = (row: Record<keyof Row, never>) => unknown;
interface Column {
  eq(value: unknown): Column;
  ge(value: unknown): Column;
  lt(value: unknown): Column;
  and(other: Column): Column;
  or(other: Column): Column;
  in(values: readonly unknown[]): Column;
}
type Columns = Record<keyof Row, Column>;
const predicate = (
  name: string,
  holds: (row: Row) => boolean,
  where: (row: Columns) => Column,
): [string, (row: Row) => boolean, Where] => [name, holds, where as unknown as Where];

/** Predicates, as they are evaluated over entities and as a query has them. */
const predicates = [
  predicate(
    "rank >= 2",
    ({ rank = 0 }) => rank >= 2,
    (r) => r.rank.ge(2),
  ),
  predicate(
    "rank = 1",
    ({ rank }) => rank === 1,
    (r) => r.rank.eq(1),
  ),
  predicate(
    "club = a",
    ({ club }) => club === "a",
    (r) => r.club.eq("a"),
  ),
  predicate(
    "mail = m1",
    ({ mail }) => mail === "m1",
    (r) => r.mail.eq("m1"),
  ),
  predicate(
    "note = n1",
    ({ note }) => note === "n1",
    (r) => r.note.eq("n1"),
  ),
  predicate(
    "id >= k2",
    ({ id }) => id >= "k2",
    (r) => r.id.ge("k2"),
  ),
  predicate(
    "club = b and rank < 3",
    ({ club, rank = 9 }) => club === "b" && rank < 3,
    (r) => r.club.eq("b").and(r.rank.lt(3)),
  ),
  predicate(
    "club = a and rank = 2",
    ({ club, rank }) => club === "a" && rank === 2,
    (r) => r.club.eq("a").and(r.rank.eq(2)),
  ),
  predicate(
    "rank = 1 or club = b",
    ({ club, rank }) => rank === 1 || club === "b",
    (r) => r.rank.eq(1).or(r.club.eq("b")),
  ),
  predicate(
    "mail >= m2",
    ({ mail = "" }) => mail >= "m2",
    (r) => r.mail.ge("m2"),
  ),
];

async function savedBy(context: TableContext, options: SaveOf): Promise<readonly SaveResult[]> {
  try {
    return await context.saveChanges(options satisfies SaveOptions);
  } catch (error) {
    if (error instanceof SaveError && error.code === "save.failed") return error.results;
    throw error;
  }
}

const ignoreKnown = (error: unknown): void => {
  if (!(error instanceof TableError)) throw error;
};
