import { TableContext, type TableStorage } from "@partita/core";
import { City, Country } from "./places.ts";
import { progressBar } from "./progress-bar.ts";
import type { SourcePartition } from "./source.ts";

/**
 * Makes the table equal to the source, one unit of work per country: reads existing rows, adds missing ones,
 * corrects different ones, and removes the others. You can kill it at any point and start it again.
 */
export async function load(storage: TableStorage, source: readonly SourcePartition[]): Promise<void> {
  const total = source.reduce((sum, { cities }) => sum + cities.length + 1, 0);
  const bar = progressBar("Loading", total);
  let written = 0;
  for (const partition of source) {
    written += await loadPartition(storage, partition);
    bar.advance(partition.cities.length + 1);
  }
  bar.finish(
    `${written.toLocaleString("en")} written, ${(total - written).toLocaleString("en")} were up to date`,
  );
}

async function loadPartition(storage: TableStorage, { country, cities }: SourcePartition): Promise<number> {
  await using context = new TableContext(storage);
  const stored = new Map<string, Country | City>();
  for await (const place of context.query([Country, City]).where({ country: country.country }))
    stored.set(identityOf(place), place);

  for (const values of [country, ...cities]) {
    const id = identityOf(values);
    const place = stored.get(id);
    if (place !== undefined) Object.assign(place, values);
    else if ("id" in values) context.create(City, values);
    else context.create(Country, values);
    stored.delete(id);
  }
  for (const left of stored.values()) context.remove(left);
  return (await context.saveChanges()).length;
}

/**
 * The key of a place. A city with another population is another city, because the population is part of its
 * key.
 */
const identityOf = (place: Omit<Country, never> | Omit<City, never>): string =>
  "id" in place ? `${place.id}/${place.population}` : "country";
