/**
 * Names of the tables and queues of one run: a mark, when it began, and some random characters, so that runs do not meet, and
 * what a killed run left is known by its age. They are legal as names of both.
 */

const mark = "partitacloud";
const form = new RegExp(`^${mark}(\\w{9})x\\w{4}n`, "i");

/** What every name of a run begins with. */
export function ownPrefix(now: number, random: () => number = Math.random): string {
  const salt = Math.floor(random() * 36 ** 4).toString(36);
  return `${mark}${now.toString(36).padStart(9, "0")}x${salt.padStart(4, "0")}n`;
}

/** How long ago the run began that a name is of; undefined for a name of anything else. */
export function ageOf(name: string, now: number): number | undefined {
  const began = form.exec(name)?.[1];
  return began === undefined ? undefined : now - Number.parseInt(began, 36);
}
