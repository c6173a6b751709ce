import { defineEntity, TableContext, type TableStorage, text } from "@partita/core";
import { bucket, constant, day, newestFirst, oldestFirst, padded, verbatim } from "@partita/core/keys";

/** Registrations for races. Queries by bib number and by age are equally frequent. */
export class Runner extends defineEntity({
  table: "Races",
  separator: "__",
  partitionKey: { race: text(), distance: text() },
  rowKey: { bib: constant("BIB:", padded(5)), name: text(), gender: text(), age: padded(2) },
  properties: { club: text().optional(), email: text().optional() },
  indexes: {
    byAge: {
      rowKey: { age: constant("AGE:", padded(3)), bib: padded(5), name: verbatim, gender: verbatim },
    },
    byClub: { rowKey: { club: constant("CLUB:", verbatim) } },
    byEmail: { rowKey: { email: constant("MAIL:", verbatim) }, unique: true },
  },
}) {}

/** Music, with one partition for each entity. */
export class Track extends defineEntity({
  table: "Tracks",
  partitionKey: { artist: text(), title: text() },
  rowKey: { kind: constant("track") },
  properties: {},
}) {}

/** Lines of a log. The PartitionKey of the latest one is the largest. */
export class Lines extends defineEntity({
  table: "Lines",
  partitionKey: { at: day },
  rowKey: { at: oldestFirst },
  properties: {},
}) {}

/** The same lines, in four partitions. */
export class Buckets extends defineEntity({
  table: "Buckets",
  partitionKey: { log: text(), id: bucket(4) },
  rowKey: { at: newestFirst, id: text() },
  properties: {},
}) {}

/** Registers runners 1 to n for the full distance of a race. Runner n is 20 + n years old. */
export async function register(storage: TableStorage, race: string, count: number): Promise<void> {
  await using context = new TableContext(storage);
  for (let bib = 1; bib <= count; bib++)
    context.create(Runner, {
      race,
      distance: "Full",
      bib,
      name: `Runner ${bib}`,
      gender: bib % 2 === 0 ? "F" : "M",
      age: 20 + bib,
      club: `Club ${bib % 2}`,
      email: `${bib}@example.org`,
    });
  await context.saveChanges();
}
