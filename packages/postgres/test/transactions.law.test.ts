import { fc, test as propertyTest } from "@fast-check/vitest";
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { hasPostgres } from "@partita/test-support/postgres";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { freshStorage } from "./fresh-schema.ts";

/** An operation before its ETag is known: of the present version, a former one, any, or another store's. */
interface Step {
  readonly type: WriteOperation["type"];
  readonly row: string;
  readonly asks: "current" | "former" | "any" | "foreign";
  readonly values: Readonly<Record<string, number | string>>;
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom("insert", "merge", "replace", "upsert-merge", "upsert-replace", "delete"),
  // U+FFFF sorts after U+10000 in the service.
  row: fc.constantFrom("a", "b", "c", "\u{10000}", "\uffff"),
  asks: fc.oneof(
    { weight: 4, arbitrary: fc.constant("current" as const) },
    { weight: 1, arbitrary: fc.constantFrom("former" as const, "any" as const, "foreign" as const) },
  ),
  values: fc.dictionary(
    fc.constantFrom("n", "m", "text"),
    fc.oneof(fc.integer(), fc.constantFrom("", "x\0y", "\\0")),
    {
      maxKeys: 3,
    },
  ),
});

/** Transactions of distinct rows, and some that name a row twice. */
const history = fc.array(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.uniqueArray(step, { minLength: 1, maxLength: 5, selector: ({ row }) => row }),
    },
    { weight: 1, arbitrary: fc.array(step, { minLength: 1, maxLength: 5 }) },
  ),
  { minLength: 1, maxLength: 15 },
);

/** A store, and the ETags that it gave. */
class Runner {
  readonly #storage: TableStorage;
  readonly #etags = new Map<string, string[]>();

  constructor(storage: TableStorage) {
    this.#storage = storage;
  }

  async apply(steps: readonly Step[], asTransaction: boolean): Promise<unknown> {
    const operations = steps.map((each) => this.#operationOf(each));
    const [first] = operations;
    try {
      const results = asTransaction
        ? await this.#storage.transact("Rows", operations)
        : [await this.#storage.write("Rows", first as WriteOperation)];
      for (const [i, { etag }] of results.entries()) {
        const { row } = steps[i] as Step;
        if (etag !== undefined) this.#etags.set(row, [...(this.#etags.get(row) ?? []), etag]);
      }
      return results.map(({ etag }) => etag !== undefined);
    } catch (error) {
      if (!StorageError.is(error)) throw error;
      return [error.serviceCode, error.index, error.applied];
    }
  }

  #operationOf({ type, row, asks, values }: Step): WriteOperation {
    const known = this.#etags.get(row) ?? [];
    const etags = { current: known.at(-1), former: known.at(-2), any: "*", foreign: 'W/"other"' };
    const etag = etags[asks] ?? 'W/"none"';
    const entity: StoredEntity = { ...values, PartitionKey: "p", RowKey: row };
    if (type === "delete") return { type, key: { partitionKey: "p", rowKey: row }, etag };
    return type === "merge" || type === "replace" ? { type, entity, etag } : { type, entity };
  }

  /** The rows without what each store chooses, and whether their ETags are the last ones given. */
  async rows(): Promise<unknown> {
    const { entities } = await this.#storage.query("Rows", {});
    return entities.map(({ Timestamp: _time, "odata.etag": etag, ...rest }) => [
      rest,
      etag === this.#etags.get(rest.RowKey)?.at(-1),
    ]);
  }
}

describe.runIf(hasPostgres)("transactions", () => {
  let postgres: TableStorage;
  let memory: TableStorage;
  beforeAll(async () => {
    postgres = await freshStorage();
    memory = await openStorage("memory:");
  });
  afterAll(async () => {
    await postgres.close();
    await memory.close();
  });

  propertyTest.prop([history], { numRuns: 300 })(
    "write, refuse and name the refused operation as the embedded store does",
    async (transactions) => {
      const runners: Runner[] = [];
      for (const storage of [memory, postgres]) {
        await storage.deleteTable("Rows").catch(() => undefined);
        await storage.createTable("Rows");
        runners.push(new Runner(storage));
      }
      const [expected, found] = runners as [Runner, Runner];
      for (const [i, steps] of transactions.entries()) {
        const asTransaction = i % 4 !== 0;
        expect(await found.apply(steps, asTransaction)).toEqual(await expected.apply(steps, asTransaction));
      }
      expect(await found.rows()).toEqual(await expected.rows());
    },
  );
});
