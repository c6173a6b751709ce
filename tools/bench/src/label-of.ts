import type { ReportedRow } from "./report.ts";

/** The name of a row, with the contender if several of its contenders have a target. */
export function labelOf({ name, contenders }: ReportedRow, contender: string): string {
  const judged = contenders.filter((each) => each.target !== undefined);
  return judged.length < 2 ? name : `${name}: ${contender}`;
}
