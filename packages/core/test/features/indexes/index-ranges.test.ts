import { expect, test } from "vitest";
import { defineEntity, int32, type Predicate, TableContext, text } from "../../../src/index.ts";
import { constant, padded, verbatim } from "../../../src/keys.ts";
import type { Columns } from "../../../src/models.ts";
import { storeOf } from "./store.ts";

/** Its own RowKeys, and those of each index, can be read as keys of the other index. */
class Song extends defineEntity({
  table: "Songs",
  partitionKey: { album: text() },
  rowKey: { id: text() },
  properties: { mood: text().optional(), year: int32().default(0) },
  indexes: {
    byMood: { rowKey: { mood: constant("MOOD:", verbatim) } },
    byYear: { rowKey: { year: constant("YEAR:", padded(4)) }, copy: "none" },
  },
}) {}

const songs = [
  { album: "a", id: "1", mood: "calm", year: 1999 },
  { album: "a", id: "2", year: 2001 },
  { album: "b", id: "3", mood: "wild", year: 2001 },
  { album: "c", id: "4", mood: "calm" },
];

type Condition = (song: Columns<Song>) => Predicate;

// Ranges of keys that are joined, or of which one has to serve, over partitions that are not listed.
const conditions: Readonly<Record<string, readonly [Condition, ids: string]>> = {
  "several values of the index": [(s) => s.mood.in(["calm", "wild"]).or(s.year.in([2001, 1999])), "1234"],
  "values that lie apart": [(s) => s.year.in([0, 1999]), "14"],
  "a value or a range": [(s) => s.mood.eq("calm").or(s.mood.ge("w")), "134"],
  "a value of the index or another property": [(s) => s.mood.eq("wild").or(s.year.eq(1999)), "13"],
  "a partition or a value": [(s) => s.album.eq("a").or(s.mood.eq("wild"), s.year.eq(0)), "1234"],
  "a range of partitions or a partition": [(s) => s.album.ge("b").or(s.album.eq("a")), "1234"],
};

for (const [name, [condition, ids]] of Object.entries(conditions))
  for (const index of ["byMood", "byYear"] as const)
    test(`via ${index} finds rows of that index alone: ${name}`, async () => {
      await using storage = await storeOf(Song);
      const writer = new TableContext(storage);
      for (const song of songs) writer.create(Song, song);
      await writer.saveChanges();
      const query = new TableContext(storage).query(Song).where(condition).via(index).scan();
      const hasMood = new Set(songs.filter(({ mood }) => mood !== undefined).map(({ id }) => id));
      const expected = ids.split("").filter((id) => index === "byYear" || hasMood.has(id));
      const idsOf = (found: readonly Song[]): string[] => found.map(({ id }) => id).toSorted();

      expect(idsOf(await query.toArray())).toEqual(expected);
      expect(await query.count()).toBe(expected.length);
      expect(idsOf((await query.page({ size: 10 })).entities)).toEqual(expected);
    });
