import { parseArgs } from "node:util";
import { createTables, openStorage } from "@partita/core";
import { changeOneCity, moveOneCity, removeOneCity } from "./changes.ts";
import { load } from "./load.ts";
import { City, Country, Place } from "./places.ts";
import { citiesOfIceland, countKinds, largestCities } from "./questions.ts";
import { readSource } from "./source.ts";

const { limit, target } = readArguments();

const started = performance.now();
await using storage = await openStorage(target);
console.log(`Places in ${storage.description}`);
await createTables(storage, [Place, Country, City]);
await load(storage, readSource(limit));

await countKinds(storage);
await largestCities(storage);
await citiesOfIceland(storage);
await changeOneCity(storage);
await moveOneCity(storage);
await removeOneCity(storage);
console.log(
  `\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. Start again: it will find its own changes and undo them first.`,
);

/** Reads the arguments, or ends the program with an error message. */
function readArguments(): { readonly limit: number; readonly target: string } {
  try {
    const { values } = parseArgs({
      options: {
        limit: { type: "string", default: "Infinity" },
        storage: { type: "string", default: "file:places.db" },
      },
    });
    const limit = Number(values.limit);
    if (limit >= 0) return { limit, target: values.storage };
    throw new TypeError("--limit takes the number of cities to load, such as --limit 5000.");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\nUsage: quickstart [--limit <cities>] [--storage <target>]`);
    process.exit(1);
  }
}
