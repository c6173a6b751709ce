import fc from "fast-check";
import { withFaults, writeFaults } from "@partita/testing";
import { SaveError, TableContext, type TableStorage } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { upgradeTable } from "@partita/maintenance";
import {
  between,
  classOf,
  defaults,
  inVersion,
  logical,
  properties,
  values,
  type Version,
} from "./order-versions.ts";

/** A program that knows a version, and the oldest version that it supports. */
export interface Release {
  readonly version: Version;
  readonly supports: Version;
  /** Whether no other release supports it any more. */
  readonly isStray?: boolean;
}

/** Releases that run side by side, and those that may have written the first row. */
export interface Stage {
  readonly releases: readonly Release[];
  readonly first: readonly Release[];
}

const release = (version: Version, supports: Version): Release => ({ version, supports });

/** The stages of a roll-out. */
export const stages: Readonly<Record<string, Stage>> = {
  "all run": {
    releases: [release(1, 1), release(2, 1), release(4, 1)],
    first: [release(1, 1), release(2, 1), release(4, 1)],
  },
  "the second never ran": { releases: [release(1, 1), release(4, 1)], first: [release(1, 1), release(4, 1)] },
  "support of the first ends": {
    releases: [release(2, 1), release(2, 2), release(4, 2)],
    first: [release(1, 1), release(2, 1), release(4, 2)],
  },
  "rows of the first are left": {
    releases: [release(2, 2), release(4, 2)],
    first: [release(1, 1), release(2, 1), release(4, 1)],
  },
  "the first comes back": {
    releases: [{ ...release(1, 1), isStray: true }, release(2, 2), release(4, 2)],
    first: [release(1, 1), release(2, 2)],
  },
  "support of the second ends": {
    releases: [release(4, 2), release(4, 4)],
    first: [release(1, 1), release(2, 2), release(4, 1)],
  },
};

/** What a release or another client does to the row. */
type Act =
  | { readonly act: "read" | "again"; readonly who: number }
  | {
      readonly act: "save";
      readonly who: number;
      readonly name: number;
      readonly value: number;
      readonly update: "merge" | "replace";
      /** Whether it reads the row first, or uses what it read earlier. */
      readonly isFresh: boolean;
      /** What happens to its first write, if it reads the row first. */
      readonly fault: Fault | undefined;
    }
  | { readonly act: "foreign" | "blind"; readonly name: number; readonly value: number };

const faults = ["reset-before", "reset-after", "timeout-after", "throttled", "refused"] as const;
type Fault = (typeof faults)[number];

export function actsOf({ releases }: Stage): fc.Arbitrary<Act[]> {
  const who = fc.nat(releases.length - 1);
  const at = { name: fc.nat(11), value: fc.nat(3) };
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ act: fc.constant("read" as const), who }) },
      {
        weight: 5,
        arbitrary: fc.record({
          act: fc.constant("save" as const),
          who,
          ...at,
          update: fc.constantFrom("merge" as const, "merge" as const, "replace" as const),
          isFresh: fc.boolean(),
          fault: fc.option(fc.constantFrom(...faults), { nil: undefined, freq: 4 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ act: fc.constant("again" as const), who }) },
      {
        weight: 1,
        arbitrary: fc.record({ act: fc.constantFrom("foreign" as const, "blind" as const), ...at }),
      },
    ),
    { minLength: 1, maxLength: 9 },
  );
}

type Values = Record<string, string | number | undefined>;
type Entity = Values;
type Written = { readonly version: Version; readonly value: Values } | undefined;

const key = { partitionKey: "s", rowKey: "1" };
const namesOf = (version: Version): readonly string[] => Object.keys(properties[version]);
const pick = (from: Readonly<Values>, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, from[name]]));
const isSame = (a: Readonly<Values>, b: Readonly<Values>): boolean =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => a[name] === b[name]);
const show = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (each === undefined ? "absent" : each));
const sample = (version: Version): Values =>
  Object.fromEntries(namesOf(version).map((name) => [name, values[name]?.[0]]));

/** One history over one row. It remembers the last value that a release wrote of each logical property. */
export class History {
  readonly #storage: TableStorage;
  readonly #releases: readonly Release[];
  readonly #last: Written[] = logical.map(() => undefined);
  readonly #read = new Map<number, { context: TableContext; entity: Entity }>();

  private constructor(storage: TableStorage, { releases }: Stage) {
    this.#storage = storage;
    this.#releases = releases;
  }

  /** Runs acts, and returns the first law that does not hold, in a sentence. */
  static async run(
    storage: TableStorage,
    stage: Stage,
    first: Release,
    acts: readonly Act[],
  ): Promise<string | undefined> {
    await storage.createTable("Orders").catch(() => undefined);
    await storage.write("Orders", { type: "delete", key, etag: "*" }).catch(() => undefined);
    const history = new History(storage, stage);
    await history.#insert(first, sample(first.version));
    for (const [at, act] of acts.entries()) {
      const broken = (await history.#apply(act)) ?? (await history.#check(at === acts.length - 1));
      if (broken !== undefined) return `${broken}; the row is ${show(await history.#row())}`;
    }
    return history.#end();
  }

  async #insert(by: Release, known: Values): Promise<void> {
    const context = new TableContext(this.#storage);
    context.create(classOf(by) as never, { shop: "s", id: "1", ...known } as never);
    await context.saveChanges();
    const etag = (await this.#row())["odata.etag"] as string;
    await this.#storage.write("Orders", {
      type: "merge",
      entity: { PartitionKey: "s", RowKey: "1", Other: "kept" },
      etag,
    });
    this.#wrote(by.version, known, true);
  }

  async #row(): Promise<StoredEntity> {
    return (await this.#storage.get("Orders", key)) as StoredEntity;
  }

  /** Everything that a version knows was written at once. */
  #wrote(version: Version, known: Values, isAll: boolean): void {
    for (const [i, { names }] of logical.entries())
      if (names[version].length > 0) this.#last[i] = { version, value: pick(known, names[version]) };
      else if (isAll) this.#last[i] = undefined;
  }

  async #load(by: Release, fault?: Fault): Promise<{ context: TableContext; entity: Entity }> {
    const storage = fault === undefined ? this.#storage : withFaults(this.#storage, writeFaults(fault));
    const context = new TableContext(storage, { retry: { attempts: 1, delayMs: 0 } });
    const entity = await context.find(classOf(by) as never, { shop: "s", id: "1" } as never);
    return { context, entity: entity as unknown as Entity };
  }

  /** A release that is not supported may not be able to read the row at all. */
  async #tryLoad(by: Release, fault?: Fault): Promise<{ context: TableContext; entity: Entity } | undefined> {
    if (by.isStray !== true) return this.#load(by, fault);
    return this.#load(by).catch(() => undefined);
  }

  async #apply(act: Act): Promise<string | undefined> {
    switch (act.act) {
      case "read": {
        const loaded = await this.#tryLoad(this.#releases[act.who] as Release);
        if (loaded !== undefined) this.#read.set(act.who, loaded);
        return undefined;
      }
      case "save":
        return this.#save(act);
      case "again":
        return this.#again(this.#releases[act.who] as Release);
      case "foreign":
      case "blind":
        return this.#other(act);
      default:
        return act satisfies never;
    }
  }

  async #save({
    who,
    name: at,
    value: choice,
    update,
    isFresh,
    fault,
  }: Act & { readonly act: "save" }): Promise<string | undefined> {
    const by = this.#releases[who] as Release;
    const earlier = isFresh ? undefined : this.#read.get(who);
    const loaded = earlier ?? (await this.#tryLoad(by, fault));
    if (loaded === undefined) return undefined;
    const { context, entity } = loaded;
    const name = namesOf(by.version)[at % namesOf(by.version).length] as string;
    const value = values[name]?.[choice % (values[name]?.length ?? 1)];
    this.#read.delete(who);
    if (entity[name] === value) return undefined;
    entity[name] = value;
    try {
      await context.saveChanges({ update });
    } catch (error) {
      if (!SaveError.is(error)) throw error;
      const { code, reason } = (error.results[0]?.error ?? {}) as { code?: string; reason?: string };
      if (reason === "etag") return undefined;
      if (fault !== undefined && earlier === undefined) return this.#afterFault(by, name, value);
      if (code === "entity.newer-version" && by.isStray === true) return undefined;
      return `version ${by.version} is supported, and its save was refused: ${String(code)} ${error.message}`;
    }
    this.#wroteOne(by, name, entity);
    return undefined;
  }

  #wroteOne({ version }: Release, name: string, entity: Entity): void {
    const i = logical.findIndex(({ names }) => names[version].includes(name));
    const { names } = logical[i] as (typeof logical)[number];
    this.#last[i] = { version, value: pick(entity, names[version]) };
  }

  /** The response was lost, or nothing was stored: the row says which. */
  async #afterFault(by: Release, name: string, value: string | number | undefined): Promise<undefined> {
    const { entity } = await this.#load(by);
    if (entity[name] === value) this.#wroteOne(by, name, entity);
  }

  /** Removes the row, and inserts what the release knows of it. */
  async #again(by: Release): Promise<undefined> {
    if (by.isStray === true) return;
    const { entity } = await this.#load(by);
    const known = pick(entity, namesOf(by.version));
    await this.#storage.write("Orders", { type: "delete", key, etag: "*" });
    await this.#insert(by, known);
  }

  /** Another client: one that replaces the row by what the oldest version has, or one that merges a property of the first. */
  async #other({
    act,
    name: at,
    value: choice,
  }: Act & { readonly act: "foreign" | "blind" }): Promise<undefined> {
    if (this.#releases.some(({ isStray }) => isStray === true)) return;
    const lowest = Math.min(...this.#releases.map(({ supports }) => supports)) as Version;
    const oldest = this.#releases.find(({ version }) => version === lowest);
    if (oldest === undefined || (act === "blind" && lowest !== 1)) return;
    const name = namesOf(lowest)[at % namesOf(lowest).length] as string;
    const value = values[name]?.[choice % (values[name]?.length ?? 1)];
    const { entity } = await this.#load(oldest);
    const known = pick(entity, namesOf(lowest));
    const row = { PartitionKey: "s", RowKey: "1", SchemaVersion: lowest };
    if (act === "foreign") {
      const changed = { ...known, [name]: value };
      await this.#storage.write("Orders", {
        type: "upsert-replace",
        entity: { ...row, ...changed, Other: "kept" } as StoredEntity,
      });
      this.#wrote(lowest, changed, true);
    } else if (value !== undefined) {
      await this.#storage.write("Orders", { type: "merge", entity: { ...row, [name]: value }, etag: "*" });
      const i = logical.findIndex(({ names }) => names[1].includes(name));
      const { names } = logical[i] as (typeof logical)[number];
      this.#last[i] = { version: 1, value: { ...pick(known, names[1]), [name]: value } };
    }
  }

  /** Every supported release sees the last write of each logical property in its own terms, and in the end finds the row by it. */
  async #check(isLast: boolean): Promise<string | undefined> {
    for (const by of this.#releases) {
      if (by.isStray === true) continue;
      const { context, entity } = await this.#load(by);
      for (const [i, each] of logical.entries()) {
        const names = each.names[by.version];
        if (names.length === 0) continue;
        const is = pick(entity, names);
        const last = this.#last[i];
        if (last === undefined) {
          if (!isSame(is, pick(defaults, names)))
            return `version ${by.version} sees ${show(is)}, which no release wrote`;
          continue;
        }
        // Another spelling of the same value may stand, and so may what the older of two versions cannot hold.
        const isSeen = between(last.version, by.version).some((version) =>
          isSame(
            inVersion(each, last.value, last.version, version),
            inVersion(each, is, by.version, version),
          ),
        );
        if (!isSeen)
          return `version ${last.version} wrote ${show(last.value)}, version ${by.version} sees ${show(is)}`;
      }
      for (const name of namesOf(by.version)) {
        if (entity[name] === undefined || !isLast) continue;
        const found = await context
          .query(classOf(by) as never)
          .where({ shop: "s", [name]: entity[name] } as never)
          .mergeOption("noTracking")
          .toArray();
        if (found.length !== 1)
          return `version ${by.version} asks for ${name} ${show(entity[name])} and finds no row`;
      }
    }
    return undefined;
  }

  /** No version but the last runs, and the table is upgraded: it has the names of the last version only, and the same values. */
  async #end(): Promise<string | undefined> {
    const last: Release = { version: 4, supports: 4 };
    const { entity: before } = await this.#load(last);
    await upgradeTable(this.#storage, [classOf(last) as never]);
    const { entity: after } = await this.#load(last);
    const strange = Object.keys(await this.#row()).filter(
      (name) =>
        ![
          "PartitionKey",
          "RowKey",
          "Timestamp",
          "odata.etag",
          "SchemaVersion",
          "Other",
          ...namesOf(4),
        ].includes(name),
    );
    if (strange.length > 0) return `after the upgrade the row still has ${strange.join(", ")}`;
    if (!isSame(pick(before, namesOf(4)), pick(after, namesOf(4)))) return "the upgrade changed a value";
    if ((await this.#row())["Other"] !== "kept") return "a property that no version declares is gone";
    return undefined;
  }
}
