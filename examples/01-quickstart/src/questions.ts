import { TableContext, type PageToken, type TableStorage } from "@partita/core";
import { City, Country } from "./places.ts";

/** Counts the entities of each kind. To read a complete table, a query must call `.scan()`. */
export async function countKinds(storage: TableStorage): Promise<void> {
  await using context = new TableContext(storage);
  const cities = await context.query(City).scan().count();
  const countries = await context.query(Country).scan().count();
  console.log(
    `\nEntities per kind: ${cities.toLocaleString("en")} cities, ${countries.toLocaleString("en")} countries`,
  );
}

/** "The ten largest cities" is a range read, because the key sorts by population, largest first. */
export async function largestCities(storage: TableStorage): Promise<void> {
  await using context = new TableContext(storage);
  for (const country of ["BR", "JP", "NG"]) {
    const largest = context.query(City).where({ country }).take(10);
    const names = (await largest.toArray()).map(
      (city) => `${city.name} (${city.population.toLocaleString("en")})`,
    );
    console.log(`\nLargest cities of ${country}: ${names.join(", ")}`);
    if (country === "BR") console.log(`  how: ${String(largest.explain())}`);
  }
}

/** Pages for a list: each token continues after the previous page. */
export async function citiesOfIceland(storage: TableStorage): Promise<void> {
  console.log("\nCities of Iceland, in pages of 10:");
  let after: PageToken | undefined;
  let number = 1;
  do {
    await using context = new TableContext(storage);
    const page = await context
      .query(City)
      .where({ country: "IS" })
      .page({ size: 10, ...(after && { after }) });
    console.log(`  page ${number++}: ${page.entities.map((city) => city.name).join(", ") || "none"}`);
    after = page.next;
  } while (after !== undefined);
}
