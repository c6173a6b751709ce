/**
 * Names of the tables and queues of one run: a prefix, the start time, and some random characters. So runs
 * don't collide, and the age of a killed run's leftovers is visible. The names are valid for both.
 */

const mark = "partitacloud";
const form = new RegExp(`^${mark}(\\w{9})x\\w{4}n`, "i");

/** The prefix of every name in a run. */
export function ownPrefix(now: number, random: () => number = Math.random): string {
  const salt = Math.floor(random() * 36 ** 4).toString(36);
  return `${mark}${now.toString(36).padStart(9, "0")}x${salt.padStart(4, "0")}n`;
}

/** The age of the run that a name belongs to. Undefined for any other name. */
export function ageOf(name: string, now: number): number | undefined {
  const began = form.exec(name)?.[1];
  return began === undefined ? undefined : now - Number.parseInt(began, 36);
}
