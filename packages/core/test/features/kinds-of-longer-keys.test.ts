import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  openStorage,
  type Predicate,
  TableContext,
  text,
} from "../../src/index.ts";
import { escaped, padded } from "../../src/keys.ts";
import type { Columns } from "../../src/models.ts";

/** Kinds whose RowKeys are those of their base, and of a kind that has a further part. */
class Book extends defineEntity({
  table: "Books",
  separator: "!",
  partitionKey: { shelf: text() },
  rowKey: { name: escaped },
  properties: {},
}) {}
class Novel extends defineKind(Book, { kind: "Novel" }) {}
class Series extends defineKind(Book, { kind: "Series", rowKey: { volume: padded(2) } }) {}

const names = ["", "a", "a b", "b", "b#", "bb", "c"];

const conditions: Readonly<
  Record<string, readonly [(book: Columns<Book>) => Predicate, holds: (name: string) => boolean]>
> = {
  eq: [(b) => b.name.eq("b"), (name) => name === "b"],
  ne: [(b) => b.name.ne("b"), (name) => name !== "b"],
  gt: [(b) => b.name.gt("b"), (name) => name > "b"],
  ge: [(b) => b.name.ge("b"), (name) => name >= "b"],
  lt: [(b) => b.name.lt("b"), (name) => name < "b"],
  le: [(b) => b.name.le("b"), (name) => name <= "b"],
  in: [(b) => b.name.in(["a", "b"]), (name) => name === "a" || name === "b"],
  between: [(b) => b.name.between("a", "b"), (name) => name >= "a" && name <= "b"],
  startsWith: [(b) => b.name.startsWith("b"), (name) => name.startsWith("b")],
  "gt or lt": [(b) => b.name.gt("b").or(b.name.lt("b")), (name) => name !== "b"],
};

for (const [operator, [condition, holds]] of Object.entries(conditions))
  test(`a condition on a base's key holds for kinds that have further parts: ${operator}`, async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Book, Novel, Series]);
    const writer = new TableContext(storage);
    for (const name of names) {
      writer.create(Novel, { shelf: "s", name });
      for (const volume of [0, 1]) writer.create(Series, { shelf: "s", name, volume });
    }
    await writer.saveChanges();
    const expected = names.filter(holds);
    const all = new TableContext(storage).query(Book).where({ shelf: "s" });

    for (const query of [all, new TableContext(storage).query([Novel, Series]).where({ shelf: "s" })]) {
      const found = await query.where(condition as never).toArray();

      expect(found.map(({ name }) => name).toSorted()).toEqual(
        expected.flatMap((name) => [name, name, name]).toSorted(),
      );
      expect(await query.where(condition as never).count()).toBe(3 * expected.length);
    }
  });
