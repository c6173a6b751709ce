import { rowKeyOfIndexRow } from "../unit-of-work/index-rows.ts";
import type { ChangeSet, IndexRow } from "../unit-of-work/tracked-entity.ts";

/** The unique index rows that the changes of one partition take and give up. */
export class UniqueRows {
  /**
   * The changes in the order they are sent. A change that takes a unique value is in one unit with the change that
   * gives it up: the index row is free for it only within the same transaction.
   */
  readonly units: readonly (readonly ChangeSet[])[];
  /** Rows taken by changes of the transaction that is being planned. */
  readonly #taken = new Set<string>();

  constructor(changes: readonly ChangeSet[]) {
    this.units = unitsOf(changes);
  }

  /** Whether a change takes a row that another change of the transaction also takes. */
  takesTwice(change: ChangeSet): boolean {
    return takenBy(change).some((key) => this.#taken.has(key));
  }

  add(change: ChangeSet): void {
    for (const key of takenBy(change)) this.#taken.add(key);
  }

  clear(): void {
    this.#taken.clear();
  }
}

const takenBy = (change: ChangeSet): string[] => keysOf(change, (type) => type !== "delete");
const givenUpBy = (change: ChangeSet): string[] => keysOf(change, (type) => type === "delete");

const keysOf = (
  { indexRows = [] }: ChangeSet,
  isMeant: (type: IndexRow["operation"]["type"]) => boolean,
): string[] =>
  indexRows.filter(({ index, operation }) => index.isUnique && isMeant(operation.type)).map(rowKeyOfIndexRow);

/** Groups each change with those that it takes rows from or gives rows to, in the order of the first of them. */
function unitsOf(changes: readonly ChangeSet[]): ChangeSet[][] {
  const giver = new Map(changes.flatMap((change) => givenUpBy(change).map((key) => [key, change] as const)));
  const unitOf = new Map<ChangeSet, ChangeSet[]>(changes.map((change) => [change, [change]]));
  const taken = new Set<string>();
  for (const change of changes)
    for (const key of takenBy(change)) {
      const other = giver.get(key);
      // If two changes take the same row, the second is refused.
      if (other === undefined || taken.has(key)) continue;
      taken.add(key);
      const [into, from] = [unitOf.get(other), unitOf.get(change)] as [ChangeSet[], ChangeSet[]];
      if (into === from) continue;
      into.push(...from);
      for (const member of from) unitOf.set(member, into);
    }
  return [...new Set(changes.map((change) => unitOf.get(change) as ChangeSet[]))];
}
