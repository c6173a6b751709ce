import { TableContext, type TableStorage } from "@partita/core";
import { Runner } from "./runner.ts";

export const race = "2011 New York City Marathon";

const names = ["John", "Ann", "Bo", "Eva", "Lee", "Mia", "Tom", "Zoe"];

/**
 * Runners of a distance, the same in every run: ages from 18 to 77, two in three in one of 50 clubs, each
 * with an e-mail.
 */
export async function registerRunners(storage: TableStorage, distance: string, count: number): Promise<void> {
  for (let from = 1; from <= count; from += 1000) {
    await using context = new TableContext(storage);
    for (let bib = from; bib < from + 1000; bib++)
      context.create(Runner, {
        race,
        distance,
        bib,
        name: names[bib % names.length] as string,
        gender: bib % 2 === 0 ? "F" : "M",
        age: 18 + ((bib * 7) % 60),
        ...(bib % 3 > 0 && { club: `Club ${String(bib % 50).padStart(2, "0")}` }),
        email: `${bib}@${distance.toLowerCase()}.example.org`,
      });
    await context.saveChanges();
  }
}
