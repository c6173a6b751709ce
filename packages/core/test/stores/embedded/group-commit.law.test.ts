import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { verifyDatabase } from "@partita/maintenance";
import type { WriteOperation } from "../../../src/storage.ts";

const inFolder = folderOfEachTest();

/** Rows that a transaction inserts; those of one burst are sent together. */
const transaction = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 4 });
const bursts = fc.array(fc.array(transaction, { minLength: 1, maxLength: 8 }), { maxLength: 5 });

const insert = (key: number): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: String(key), key },
});
const numerically = (a: number, b: number): number => a - b;

let files = 0;

propertyTest.prop([bursts], { numRuns: 60 })(
  "bursts of transactions, refused ones among them, store what they would one after another",
  async (all) => {
    const target = `file:${inFolder(`${files++}.db`)}`;
    const storage = await openStorage(target);
    await storage.createTable("Things");
    const stored = new Set<number>();
    for (const burst of all) {
      const results = await Promise.allSettled(
        burst.map((keys) => storage.transact("Things", keys.map(insert))),
      );

      for (const [i, keys] of burst.entries()) {
        const index = keys.findIndex((key) => stored.has(key));
        if (index === -1) expect(results[i]).toMatchObject({ status: "fulfilled" });
        else
          expect(results[i]).toMatchObject({
            reason: { code: "storage.entity-already-exists", details: { index } },
          });
        if (index === -1) for (const key of keys) stored.add(key);
      }
    }
    const { entities } = await storage.query("Things", {});
    await storage.close();

    expect(entities.map(({ RowKey }) => Number(RowKey)).sort(numerically)).toEqual(
      [...stored].sort(numerically),
    );
    expect(await verifyDatabase(target)).toMatchObject({ isClean: true });
  },
);
