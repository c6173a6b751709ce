import { wasLate } from "../run/rates.ts";
import type { StressFigures } from "../stress-report.ts";

/** Formats a rate or a count for people. */
export const amount = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });

/** The measured partition and its storage. */
export const subjectOf = ({ entity, partitionKey, storage }: StressFigures): string =>
  `Partition ${JSON.stringify(partitionKey)} of ${entity}, in ${storage}`;

/** The result of the test in a sentence or two. */
export function outcomeOf({ sustained, servedThere, mostServed, target, isMet }: StressFigures): string {
  const found =
    sustained === 0
      ? `It sustained none of the rates, and served at most ${amount(mostServed)} entities/s.`
      : `The largest sustained rate is ${amount(sustained)} entities/s, of which it served ${amount(servedThere)}; it never served more than ${amount(mostServed)}.`;
  if (target === undefined) return found;
  const outcome =
    isMet === true
      ? "is met"
      : "is missed: choose a PartitionKey that distributes these entities over more partitions";
  return `${found} The target of ${amount(target)} ${outcome}.`;
}

/** Warnings about the reliability of the figures. */
export function remarksOf({ storage, steps }: StressFigures): readonly string[] {
  const remarks: string[] = [];
  if (!isRemote(storage))
    remarks.push(
      "This storage runs on this machine: the figures depend on the machine, and say nothing about a service's limit.",
    );
  const late = steps.filter(wasLate);
  if (late.length > 0)
    remarks.push(
      `This machine started work late in ${late.length} of ${steps.length} steps: the offered rate may be the machine's own limit.`,
    );
  if (steps.some(({ isSustained, notSent }) => !isSustained && notSent > 0))
    remarks.push(
      "Work was not sent because the limit of concurrent requests was reached: more concurrency may find a larger rate.",
    );
  return remarks;
}

const isRemote = (storage: string): boolean =>
  /^https?:\/\//.test(storage) && !/^https?:\/\/(?:localhost|127\.|\[::1\])/.test(storage);

/** Four or five round values from 0 on. */
export function ticksTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= most / 4.999) ?? most;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
