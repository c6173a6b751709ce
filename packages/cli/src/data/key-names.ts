import type { Session } from "../session/session.ts";
import { printable } from "../terminal/printable.ts";

const keyNames = ["PartitionKey", "RowKey", "Timestamp"];

/** Reads and exports always include the keys. */
export const withoutKeys = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !keyNames.includes(name));

/** Names are case-sensitive, so a filter on `partitionKey` compares a property that usually no row has. */
export function warnOfKeyNames(filter: string | undefined, { say }: Pick<Session, "say">): void {
  const names = filter?.replaceAll(/'[^']*'/g, " ").match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
  for (const name of new Set(names)) {
    const key = keyNames.find((each) => each.toLowerCase() === name.toLowerCase());
    if (key !== undefined && key !== name)
      say(`Warning: ${printable(name)} in --filter is not ${key}. Names are case-sensitive.`);
  }
}
