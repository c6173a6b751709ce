import { createTables } from "@partita/core";
import type { Source } from "./item.ts";
import { keys } from "./partitioning/keys.ts";
import { Buckets, Lines, Runner, Track } from "./partitioning/model.ts";
import { queries } from "./partitioning/queries.ts";
import { scalability } from "./partitioning/scalability.ts";

/** The article on keys, partitions and queries, with its registrations for races. */
export const partitioning: Source = {
  title: "Designing a Scalable Partitioning Strategy",
  async prepare(storage) {
    await createTables(storage, [Runner, Track, Buckets, Lines]);
  },
  chapters: [keys, queries, scalability],
};
