import type { ReportedRow } from "./report.ts";

/** What a row is called beside its contender, where several of a row are asked for something. */
export function labelOf({ name, contenders }: ReportedRow, contender: string): string {
  const asked = contenders.filter((each) => each.asked !== undefined);
  return asked.length < 2 ? name : `${name}: ${contender}`;
}
