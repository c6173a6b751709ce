import { type Idiom, idioms } from "./idioms.ts";
import { type Count, isMeasuredIn, type Measured, per10000 } from "./measure.ts";

/** The limit for the words of all Markdown. */
export const mostMarkdown = 45_000;

/** A figure that is worse than the baseline. */
export interface Worse {
  readonly figure: string;
  readonly now: number;
  readonly before: number;
}

/**
 * The figures that are worse than those of the baseline. An idiom is worse if its number and its share per 10,000 words have
 * both grown. Deleting good sentences, or adding better ones, makes nothing worse.
 */
export function worseThan(baseline: Measured, now: Measured): Worse[] {
  const figures = Object.entries(now.groups).flatMap(([group, counts]) =>
    idioms.flatMap((idiom) => {
      const [current, before] = [counts[idiom.name], baseline.groups[group]?.[idiom.name]];
      if (!isMeasuredIn(idiom, group) || current === undefined || before === undefined) return [];
      if (!isWorse(idiom, current, before)) return [];
      return [{ figure: `${idiom.name} in ${group}`, now: per10000(current), before: per10000(before) }];
    }),
  );
  if (now.markdown <= Math.max(baseline.markdown, mostMarkdown)) return figures;
  return [...figures, { figure: "words of Markdown", now: now.markdown, before: baseline.markdown }];
}

function isWorse({ limit }: Idiom, now: Count, before: Count): boolean {
  if (limit !== undefined && "atLeast" in limit)
    return per10000(now) < Math.min(limit.atLeast, per10000(before));
  return now.found > before.found && per10000(now) > per10000(before);
}
