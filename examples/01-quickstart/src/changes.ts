import { SaveError, TableContext, type TableStorage } from "@partita/core";
import { City } from "./places.ts";

const saoPaulo = (context: TableContext): Promise<City | undefined> =>
  context.query(City).where({ country: "BR" }).first();

/** A tracked change is saved under the version it was read with. The second writer gets a conflict. */
export async function changeOneCity(storage: TableStorage): Promise<void> {
  await using first = new TableContext(storage);
  await using second = new TableContext(storage);
  const mine = await saoPaulo(first);
  const theirs = await saoPaulo(second);
  if (mine === undefined || theirs === undefined) return;

  mine.alternativeName = "Sampa";
  theirs.alternativeName = "Terra da Garoa";
  const [result] = await first.saveChanges();
  console.log(`\nFirst context: ${result?.operation} of ${mine.name} ${result?.outcome}`);
  try {
    await second.saveChanges();
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    console.log(`Second context: ${error.message}`);
  }
  second.detach(theirs);
}

/**
 * Population is part of the key, so a corrected population is a new key: remove and add, in one transaction.
 */
export async function moveOneCity(storage: TableStorage): Promise<void> {
  await using context = new TableContext(storage);
  const [city] = await context.query(City).where({ country: "IS" }).take(1).toArray();
  if (city === undefined)
    return console.log("\nNo city of Iceland is among those loaded: none is moved or removed.");
  const { country, name, id, latitude, longitude } = city;
  context.remove(city);
  context.create(City, { country, name, id, latitude, longitude, population: city.population + 1234 });
  const results = await context.saveChanges({ batch: "atomic" });
  console.log(
    `\nMoved ${name} to its corrected population: ${results.map((r) => `${r.operation} ${r.outcome}`).join(", ")}, in one transaction`,
  );
}

export async function removeOneCity(storage: TableStorage): Promise<void> {
  await using context = new TableContext(storage);
  const cities = await context.query(City).where({ country: "IS" }).toArray();
  const smallest = cities.at(-1);
  if (smallest === undefined) return;
  context.remove(smallest);
  await context.saveChanges();
  const left = await context.query(City).where({ country: "IS" }).count();
  console.log(`Removed ${smallest.name}: ${left} cities of Iceland are left`);
}
