import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { verifyDatabase } from "@partita/maintenance";
import type { StoredEntity } from "../../../src/storage.ts";
import { fixtureOfFormat1, tables, writtenAt } from "./fixtures/rows.ts";

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  file = join(folder, "format-1.db");
  await copyFile(fixtureOfFormat1, file);
});
afterEach(() => rm(folder, { recursive: true }));

async function rowsIn(storage: TableStorage, table: string): Promise<readonly StoredEntity[]> {
  const { entities } = await storage.query(table, {});
  return entities;
}

const inOrder = (rows: readonly StoredEntity[]): readonly StoredEntity[] =>
  rows.toSorted((a, b) =>
    a.PartitionKey === b.PartitionKey
      ? Number(a.RowKey > b.RowKey) - 0.5
      : Number(a.PartitionKey > b.PartitionKey) - 0.5,
  );

/** Without what the store itself says of a row. */
const withoutVersion = ({ Timestamp: _time, "odata.etag": _etag, ...row }: StoredEntity): object => row;

describe("a file that an earlier release wrote in format 1", () => {
  test("is sound, and has the rows that were written", async () => {
    const report = await verifyDatabase(`file:${file}`);
    await using storage = await openStorage(`file:${file}`);

    expect(report.findings).toEqual([]);
    expect(await storage.listTables()).toEqual(Object.keys(tables).toSorted());
    for (const [table, expected] of Object.entries(tables)) {
      const found = await rowsIn(storage, table);
      expect(found.map(withoutVersion), table).toEqual(inOrder(expected));
      expect(new Set(found.map((row) => row["odata.etag"])).size, table).toBe(expected.length);
    }
  });

  test("says when its rows were written", async () => {
    await using storage = await openStorage(`file:${file}`);
    const [row] = await rowsIn(storage, "Types");

    expect(Date.parse(String(row?.Timestamp))).toBe(writtenAt);
  });

  test("takes writes under the versions that it gave, and is sound afterwards", async () => {
    {
      await using storage = await openStorage(`file:${file}`);
      for (const row of await rowsIn(storage, "Many")) {
        const entity = { PartitionKey: row.PartitionKey, RowKey: row.RowKey, merged: "again" };
        const { etag } = await storage.write("Many", {
          type: "merge",
          entity,
          etag: row["odata.etag"] as string,
        });
        expect(etag).not.toBe(row["odata.etag"]);
      }
      const changed = await rowsIn(storage, "Many");
      expect(changed.map(withoutVersion)).toEqual(
        inOrder(tables["Many"] ?? []).map((row) => ({ ...row, merged: "again" })),
      );
    }

    expect((await verifyDatabase(`file:${file}`)).findings).toEqual([]);
  });
});
