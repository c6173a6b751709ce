import type { ReportedRow } from "./report.ts";

/** The name of a row, and of the contender where several of the row have a target. */
export function labelOf({ name, contenders }: ReportedRow, contender: string): string {
  const judged = contenders.filter((each) => each.target !== undefined);
  return judged.length < 2 ? name : `${name}: ${contender}`;
}
