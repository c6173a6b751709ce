// Registrations for a race, from "Designing a Scalable Partitioning Strategy". Queries by bib number and by
// age are equally frequent, so each runner is stored under both.
import {
  constant,
  Index,
  indexNames,
  type Key,
  padded,
  PartitionKey,
  RowKey,
  Table,
  Text,
  Unique,
  verbatim,
} from "@partita/decorators";

@Table("Races", { separator: "__" })
@Index("byAge", {
  rowKey: { age: constant("AGE:", padded(3)), bib: padded(5), name: verbatim, gender: verbatim },
})
@Index("byClub", { rowKey: { club: constant("CLUB:", verbatim) }, copy: ["club"] })
export class Runner {
  declare readonly [indexNames]?: "byAge" | "byClub" | "email";

  @PartitionKey() race!: Key<string>;
  @PartitionKey() distance!: Key<string>;
  @RowKey(constant("BIB:", padded(5))) bib!: Key<number>;
  @RowKey() name!: Key<string>;
  @RowKey() gender!: Key<string>;
  @RowKey(padded(2)) age!: Key<number>;
  @Text({ optional: true }) club?: string;
  /** No two runners have one address, in any race. */
  @Unique("MAIL:", { over: "table" }) @Text({ optional: true }) email?: string;
}
