import { type ConformanceCase, refuses, refusesEverywhere } from "./storage-case.ts";

/** Values that every store refuses, since reading them back would return something else. */
export const refusedValueCases: readonly ConformanceCase[] = [
  {
    name: "refuses a Double outside the range of 64 bits, such as 1e999, in every write",
    check: async (storage, table) => {
      for (const value of [Number("1e999"), -Number("1e999"), Number.NaN, "1e999", "-1e999", "1e", ""])
        await refusesEverywhere(storage, table, { "D@odata.type": "Edm.Double", D: value }, "InvalidInput");
      await refusesEverywhere(storage, table, { D: Number("1e999") }, "InvalidInput");
    },
  },
  {
    name: "refuses lone surrogates in values, names and keys in every write",
    check: async (storage, table) => {
      for (const text of ["\ud800", "a\udc00b", "\udc00\ud800"]) {
        await refusesEverywhere(storage, table, { Text: text }, "InvalidInput");
        await refusesEverywhere(storage, table, { [`N${text}`]: "x" }, "PropertyNameInvalid");
        await refusesEverywhere(storage, table, { PartitionKey: text }, "OutOfRangeInput");
        await refusesEverywhere(storage, table, { RowKey: text }, "OutOfRangeInput");
        for (const bad of [
          { partitionKey: text, rowKey: "r" },
          { partitionKey: "p", rowKey: text },
        ]) {
          await refuses(storage.get(table, bad), "OutOfRangeInput");
          const removal = { type: "delete", key: bad, etag: "*" } as const;
          await refuses(storage.write(table, removal), "OutOfRangeInput");
          await refuses(storage.transact(table, [removal]), "OutOfRangeInput", 0);
        }
      }
    },
  },
  {
    name: "refuses values that cannot be sent before values that are too large, in any order",
    check: async (storage, table) => {
      const tooLarge = "x".repeat(40_000);
      await refusesEverywhere(storage, table, { A: tooLarge, B: "\ud800" }, "InvalidInput");
      await refusesEverywhere(storage, table, { B: Number.NaN, C: tooLarge }, "InvalidInput");
      await refusesEverywhere(
        storage,
        table,
        { PartitionKey: "p".repeat(2000), B: "\ud800" },
        "InvalidInput",
      );
      const insert = (RowKey: string, Text: string) =>
        ({ type: "insert", entity: { PartitionKey: "p", RowKey, Text } }) as const;
      await refuses(
        storage.transact(table, [insert("1", tooLarge), insert("2", "\ud800")]),
        "InvalidInput",
        1,
      );
    },
  },
];
