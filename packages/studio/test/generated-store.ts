import {
  createTables,
  defineEntity,
  double,
  int64,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { padded } from "@partita/core/keys";

/** The class of cities as `partita generate` makes it from the quickstart's data, with a 64-bit property. */
export class City extends defineEntity({
  table: "Places",
  kind: { name: "City", key: "prefix" },
  partitionKey: { partitionKey: text() },
  rowKey: { number: padded(10), number2: padded(9) },
  properties: {
    name: text(),
    latitude: double(),
    longitude: double(),
    alternativeName: text().optional(),
    visitors: int64().optional(),
  },
}) {}

/** Countries in the same table. */
export class Country extends defineEntity({
  table: "Places",
  kind: { name: "Country", key: "prefix" },
  partitionKey: { partitionKey: text() },
  rowKey: {},
  properties: { name: text(), region: text(), areaKm2: double() },
}) {}

/** The usual number of cities in each of the two countries of the store. */
export const citiesOf = 300;

/** The difference between the numbers of two cities, which have ten digits at most. */
export const numberStep = (cities: number): number => Math.floor(3_000_000 / cities);

/** Cities whose numbers are far above 2^31, because the largest population sorts first. */
export async function generatedStore(cities: number = citiesOf): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [City, Country]);
  const context = new TableContext(storage);
  for (const partitionKey of ["FR", "JP"]) {
    context.create(Country, { partitionKey, name: partitionKey, region: "Earth", areaKm2: 1.5 });
    for (let i = 0; i < cities; i++)
      context.create(City, {
        partitionKey,
        number: 9_997_000_000 + i * numberStep(cities),
        number2: i,
        name: `${partitionKey} ${i}`,
        latitude: i / 4,
        longitude: -i,
        visitors: 9_000_000_000_000_000_000n + BigInt(i),
      });
  }
  await context.saveChanges();
  return storage;
}
