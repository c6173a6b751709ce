import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { decimal, instant, plainDate } from "@partita/core/models";
import { startTableServer } from "@partita/server";
import { startAzurite } from "@partita/test-support/azurite";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { describe, expect, test } from "vitest";

// Decimals, days and moments over every storage: each compares and orders their stored forms in its own way.

class Product extends defineEntity({
  table: "Products",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: {
    price: decimal({ scale: 2 }),
    units: decimal({ scale: 0, as: "units" }),
    since: plainDate(),
    changedAt: instant(),
  },
}) {}

interface Place {
  readonly connection: string;
  end(): PromiseLike<unknown>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async "a file"() {
    const folder = await temporaryFolder();
    return { connection: `file:${folder.file("products.db")}`, end: () => folder[Symbol.asyncDispose]() };
  },
  async Azurite() {
    const azurite = await startAzurite();
    return { connection: azurite.connectionString, end: () => azurite.stop() };
  },
  async "our server"() {
    const server = await startTableServer();
    return { connection: server.connectionString, end: () => server[Symbol.asyncDispose]() };
  },
};

const rows = [
  { sku: "a", price: "-92233720368547758.08", since: "0001-01-01", changedAt: "1601-01-01T00:00:00Z" },
  { sku: "b", price: "-1", since: "1999-12-31", changedAt: "2026-11-25T10:00:00.1234567+01:00" },
  { sku: "c", price: "9.99", since: "2024-02-29", changedAt: "2026-11-25T09:00:00.1234568Z" },
  { sku: "d", price: "10.0", since: "2024-03-01", changedAt: "2026-11-25T09:30Z" },
  { sku: "e", price: "92233720368547758.07", since: "9999-12-31", changedAt: "9999-12-31T23:59:59.9999999Z" },
] as const;

async function filled(storage: TableStorage): Promise<TableContext> {
  await createTables(storage, [Product]);
  const context = new TableContext(storage);
  for (const [i, row] of rows.entries())
    context.add(new Product({ shop: "s", units: BigInt(i) - 2n, ...row }));
  await context.saveChanges();
  return new TableContext(storage);
}

describe.each(Object.entries(places))("over %s", (_name, open) => {
  test("values are read back, compared in their order, and unchanged by other texts of them", async () => {
    const place = await open();
    try {
      await using storage = await openStorage(place.connection);
      const context = await filled(storage);
      const inShop = () => context.query(Product).where({ shop: "s" });
      const skusOf = (products: readonly Product[]): string => products.map(({ sku }) => sku).join("");

      const all = await inShop().toArray();

      expect(all.map(({ price }) => price)).toEqual([
        "-92233720368547758.08",
        "-1.00",
        "9.99",
        "10.00",
        "92233720368547758.07",
      ]);
      expect(all.map(({ units }) => units)).toEqual([-2n, -1n, 0n, 1n, 2n]);
      expect(all.map(({ since }) => since)).toEqual(rows.map(({ since }) => since));
      expect(all[1]?.changedAt).toBe("2026-11-25T09:00:00.1234567Z");
      expect(
        skusOf(
          await inShop()
            .where((p) => p.price.gt("9.99"))
            .toArray(),
        ),
      ).toBe("de");
      expect(
        skusOf(
          await inShop()
            .where((p) => p.price.between("-5", "9.99"))
            .toArray(),
        ),
      ).toBe("bc");
      expect(
        skusOf(
          await inShop()
            .where((p) => p.units.le(-1n))
            .toArray(),
        ),
      ).toBe("ab");
      expect(
        skusOf(
          await inShop()
            .where((p) => p.since.ge("2024-02-29"))
            .toArray(),
        ),
      ).toBe("cde");
      expect(
        skusOf(
          await inShop()
            .where((p) => p.changedAt.lt("2026-11-25T10:30+01:00"))
            .toArray(),
        ),
      ).toBe("abc");

      for (const [i, row] of rows.entries()) Object.assign(all[i] as Product, row);
      expect(await context.saveChanges()).toEqual([]);
    } finally {
      await place.end();
    }
  });
});
