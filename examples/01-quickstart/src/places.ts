import {
  descending,
  Double,
  Kind,
  padded,
  PartitionKey,
  RowKey,
  Table,
  Text,
  type Key,
} from "@partita/decorators";

/** The base of countries and cities: one table, one partition per country. */
@Table("Places")
export abstract class Place {
  @PartitionKey() country!: Key<string>;
  @Text() name!: string;
}

/** RowKey `Country`: one row in each partition. */
@Kind("Country", { key: "prefix" })
export class Country extends Place {
  @Text() region!: string;
  @Double() areaKm2!: number;
}

/** RowKey `City_9989978704_003448439`: the largest city of a country sorts first. */
@Kind("City", { key: "prefix" })
export class City extends Place {
  @RowKey(descending(padded(10))) population!: Key<number>;
  @RowKey(padded(9)) id!: Key<number>;
  @Text({ optional: true }) alternativeName?: string | undefined;
  @Double() latitude!: number;
  @Double() longitude!: number;
}
