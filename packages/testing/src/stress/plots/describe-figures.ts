import { wasLate } from "../run/rates.ts";
import type { StressFigures } from "../stress-report.ts";

/** A rate or a count as people read it. */
export const amount = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });

/** Which partition was measured, and where. */
export const subjectOf = ({ entity, partitionKey, storage }: StressFigures): string =>
  `Partition ${JSON.stringify(partitionKey)} of ${entity}, in ${storage}`;

/** What the test found, in a sentence or two. */
export function outcomeOf({ sustained, servedThere, mostServed, target, isMet }: StressFigures): string {
  const found =
    sustained === 0
      ? `It sustained no rate that was tried, and served ${amount(mostServed)} entities/s at most.`
      : `The largest rate it sustained is ${amount(sustained)} entities/s, of which it served ${amount(servedThere)}; it never served more than ${amount(mostServed)}.`;
  if (target === undefined) return found;
  const outcome =
    isMet === true
      ? "is met"
      : "is missed: choose a PartitionKey that spreads these entities over more partitions";
  return `${found} The target of ${amount(target)} ${outcome}.`;
}

/** What to know about the figures before they are believed. */
export function remarksOf({ storage, steps }: StressFigures): readonly string[] {
  const remarks: string[] = [];
  if (!isRemote(storage))
    remarks.push(
      "This storage runs on this machine: the figures are the machine's, and say nothing of a service's limit.",
    );
  const late = steps.filter(wasLate);
  if (late.length > 0)
    remarks.push(
      `This machine began work late in ${late.length} of ${steps.length} steps: what it asks for may be its own limit.`,
    );
  if (steps.some(({ isSustained, notSent }) => !isSustained && notSent > 0))
    remarks.push(
      "Work was not sent, since all places for requests were taken: more concurrency may find a larger rate.",
    );
  return remarks;
}

const isRemote = (storage: string): boolean =>
  /^https?:\/\//.test(storage) && !/^https?:\/\/(?:localhost|127\.|\[::1\])/.test(storage);

/** Round values from 0 on, four or five of them. */
export function ticksTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= most / 4.999) ?? most;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
