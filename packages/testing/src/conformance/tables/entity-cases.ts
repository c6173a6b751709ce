import assert from "node:assert/strict";
import type { StoredEntity } from "@partita/core/storage";
import { type ConformanceCase, bare, insertAll, refuses, stored } from "./storage-case.ts";

const key = { PartitionKey: "p", RowKey: "r" };
const name = { partitionKey: "p", rowKey: "r" };

/** One value of every type, including values that clients often lose. */
const everyType: StoredEntity = {
  ...key,
  Text: "naïve \u{1f600} 'quoted'",
  Empty: "",
  Yes: true,
  No: false,
  Int: -2_147_483_648,
  "Big@odata.type": "Edm.Int64",
  Big: "9007199254740993",
  "Whole@odata.type": "Edm.Double",
  Whole: 7,
  Fraction: 2.5,
  "Nan@odata.type": "Edm.Double",
  Nan: "NaN",
  "Least@odata.type": "Edm.Double",
  Least: "-Infinity",
  "At@odata.type": "Edm.DateTime",
  At: "2013-08-02T17:37:43.9004348Z",
  "Id@odata.type": "Edm.Guid",
  Id: "4185404a-5818-48c3-b9be-f217df0dba6f",
  "Bytes@odata.type": "Edm.Binary",
  Bytes: "AAH/",
};

/** Single entities: types, conditions, limits. */
export const entityCases: readonly ConformanceCase[] = [
  {
    name: "reads back every type as it was written",
    check: async (storage, table) => {
      await storage.write(table, { type: "insert", entity: everyType });

      assert.deepEqual(bare(await stored(storage, table, "p", "r")), everyType);
    },
  },
  {
    name: "reads undefined if nothing is stored",
    check: async (storage, table) => assert.equal(await storage.get(table, name), undefined),
  },
  {
    name: "refuses an insert if the key exists",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r", { A: 1 }]]);

      await refuses(
        storage.write(table, { type: "insert", entity: { ...key, A: 2 } }),
        "EntityAlreadyExists",
      );
      assert.equal((await stored(storage, table, "p", "r"))["A"], 1);
    },
  },
  {
    name: "gives every write a new ETag, and returns the stored one",
    check: async (storage, table) => {
      const first = await storage.write(table, { type: "insert", entity: key });
      const second = await storage.write(table, {
        type: "merge",
        entity: { ...key, A: 1 },
        etag: first.etag ?? "",
      });

      assert.notEqual(first.etag, second.etag);
      assert.equal((await stored(storage, table, "p", "r"))["odata.etag"], second.etag);
    },
  },
  {
    name: "merges: named properties change with their type, others stay",
    check: async (storage, table) => {
      const { etag } = await storage.write(table, { type: "insert", entity: everyType });
      await storage.write(table, {
        type: "merge",
        entity: { ...key, Big: "text now", Int: 1 },
        etag: etag ?? "",
      });

      const { "Big@odata.type": _type, ...rest } = everyType;
      assert.deepEqual(bare(await stored(storage, table, "p", "r")), { ...rest, Big: "text now", Int: 1 });
    },
  },
  {
    name: "replaces: properties that are not named are removed",
    check: async (storage, table) => {
      await storage.write(table, { type: "insert", entity: everyType });
      await storage.write(table, { type: "replace", entity: { ...key, Only: "this" }, etag: "*" });

      assert.deepEqual(bare(await stored(storage, table, "p", "r")), { ...key, Only: "this" });
    },
  },
  {
    name: "refuses merge, replace and delete under an ETag that is no longer current",
    check: async (storage, table) => {
      const { etag = "" } = await storage.write(table, { type: "insert", entity: { ...key, A: 1 } });
      await storage.write(table, { type: "merge", entity: { ...key, A: 2 }, etag });

      const entity = { ...key, A: 3 };
      await refuses(storage.write(table, { type: "merge", entity, etag }), "UpdateConditionNotSatisfied");
      await refuses(storage.write(table, { type: "replace", entity, etag }), "UpdateConditionNotSatisfied");
      await refuses(storage.write(table, { type: "delete", key: name, etag }), "UpdateConditionNotSatisfied");
      assert.equal((await stored(storage, table, "p", "r"))["A"], 2);
    },
  },
  {
    name: "refuses merge, replace and delete of a missing entity, with any ETag",
    check: async (storage, table) => {
      const { etag = "" } = await storage.write(table, { type: "insert", entity: key });
      await storage.write(table, { type: "delete", key: name, etag });

      for (const condition of [etag, "*"]) {
        await refuses(
          storage.write(table, { type: "merge", entity: key, etag: condition }),
          "ResourceNotFound",
        );
        await refuses(
          storage.write(table, { type: "replace", entity: key, etag: condition }),
          "ResourceNotFound",
        );
        await refuses(
          storage.write(table, { type: "delete", key: name, etag: condition }),
          "ResourceNotFound",
        );
      }
    },
  },
  {
    name: "upserts with and without a stored entity",
    check: async (storage, table) => {
      await storage.write(table, { type: "upsert-merge", entity: { ...key, A: 1 } });
      await storage.write(table, { type: "upsert-merge", entity: { ...key, B: 2 } });
      assert.deepEqual(bare(await stored(storage, table, "p", "r")), { ...key, A: 1, B: 2 });

      await storage.write(table, { type: "upsert-replace", entity: { ...key, C: 3 } });
      assert.deepEqual(bare(await stored(storage, table, "p", "r")), { ...key, C: 3 });
    },
  },
  {
    name: "does not accept the ETag of an entity that was deleted and inserted again",
    check: async (storage, table) => {
      const { etag = "" } = await storage.write(table, { type: "insert", entity: key });
      await storage.write(table, { type: "delete", key: name, etag });
      await storage.write(table, { type: "insert", entity: key });

      await refuses(storage.write(table, { type: "delete", key: name, etag }), "UpdateConditionNotSatisfied");
    },
  },
  {
    name: "stores an empty PartitionKey and RowKey",
    check: async (storage, table) => {
      await insertAll(storage, table, [["", ""]]);

      assert.ok(await storage.get(table, { partitionKey: "", rowKey: "" }));
    },
  },
  {
    name: "distinguishes hostile but legal keys",
    check: async (storage, table) => {
      const keys = [
        "'",
        "''",
        "a'b",
        "%2F",
        "%",
        "+",
        " ",
        "a b",
        "&=",
        "é",
        "e\u0301",
        "\u{10000}",
        "\uffff",
        "..",
        "~",
        "A",
        "a",
      ];
      await insertAll(
        storage,
        table,
        keys.map((k) => [k, k, { K: k }] as const),
      );

      for (const k of keys) assert.equal((await stored(storage, table, k, k))["K"], k);
    },
  },
  {
    name: "refuses a key of more than 1 KiB and stores one of exactly that",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "x".repeat(512)]]);

      const tooLong = { PartitionKey: "p", RowKey: "x".repeat(513) };
      await refuses(storage.write(table, { type: "insert", entity: tooLong }), "PropertyValueTooLarge");
    },
  },
  {
    name: "refuses characters that are not allowed in keys",
    check: async (storage, table) => {
      for (const character of ["/", "\\", "#", "?", "\u0001", "\n", "\u007f", "\u0085"])
        await refuses(
          storage.write(table, { type: "insert", entity: { PartitionKey: "p", RowKey: `a${character}b` } }),
          "OutOfRangeInput",
        );
    },
  },
  {
    name: "stores 64 KiB of text and of bytes, and refuses more",
    check: async (storage, table) => {
      const bytes = (n: number): object => ({
        "B@odata.type": "Edm.Binary",
        B: Buffer.alloc(n, 7).toString("base64"),
      });
      await insertAll(storage, table, [
        ["p", "text", { T: "x".repeat(32_768) }],
        ["p", "bytes", bytes(65_536)],
      ]);

      await refuses(
        storage.write(table, { type: "insert", entity: { ...key, T: "x".repeat(32_769) } }),
        "PropertyValueTooLarge",
      );
      await refuses(
        storage.write(table, { type: "insert", entity: { ...key, ...bytes(65_537) } }),
        "PropertyValueTooLarge",
      );
    },
  },
  {
    name: "refuses more than 252 properties, also as the result of a merge",
    check: async (storage, table) => {
      const properties = (from: number, to: number): object =>
        Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`P${from + i}`, i]));
      await insertAll(storage, table, [["p", "r", properties(0, 252)]]);

      await refuses(
        storage.write(table, { type: "merge", entity: { ...key, One: 1 }, etag: "*" }),
        "TooManyProperties",
      );
      await refuses(
        storage.write(table, {
          type: "insert",
          entity: { PartitionKey: "p", RowKey: "s", ...properties(0, 253) },
        }),
        "TooManyProperties",
      );
    },
  },
  {
    name: "refuses an entity of more than 1 MiB",
    check: async (storage, table) => {
      const big = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`P${i}`, "x".repeat(32_000)]));

      await refuses(storage.write(table, { type: "insert", entity: { ...key, ...big } }), "EntityTooLarge");
    },
  },
  {
    name: "keeps properties named like members of every object",
    check: async (storage, table) => {
      const entity = JSON.parse(
        '{"PartitionKey":"p","RowKey":"r","__proto__":"a","constructor":"b","toString":"c"}',
      ) as StoredEntity;
      await storage.write(table, { type: "insert", entity });
      await storage.write(table, { type: "merge", entity: { ...key, A: 1 }, etag: "*" });

      const found = await stored(storage, table, "p", "r");
      assert.deepEqual(
        ["__proto__", "constructor", "toString", "A"].map(
          (n) => Object.getOwnPropertyDescriptor(found, n)?.value as unknown,
        ),
        ["a", "b", "c", 1],
      );
    },
  },
];
