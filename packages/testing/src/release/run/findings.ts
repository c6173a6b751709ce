import type { ReleaseAct, ReleaseFinding, ReleaseName, SeenStatus } from "../release-report.ts";
import { messageOfFinding } from "../report/finding-messages.ts";

/** A finding before it has its sentence. */
export type Found = Omit<ReleaseFinding, "message" | "isLoss" | "history"> & {
  readonly isLoss?: boolean;
};

/** Collects what is found, with the shortest history for each property, index or row of a class, and reader. */
export class Findings {
  readonly #found = new Map<string, ReleaseFinding>();

  /** @returns whether nothing like it was known, or the history is shorter */
  add(found: Found, history: readonly ReleaseAct[]): boolean {
    const id = idOf(found);
    const known = this.#found.get(id);
    const isLoss = found.isLoss ?? true;
    const isBetter =
      known === undefined ||
      (isLoss && !known.isLoss) ||
      (isLoss === known.isLoss && history.length < known.history.length);
    if (isBetter) {
      const finding = { ...found, isLoss, history: [...history] };
      this.#found.set(id, { ...finding, message: messageOfFinding(finding) });
    }
    return isBetter;
  }

  /** Whether the same is known, with whatever history. */
  has(found: Found): boolean {
    const known = this.#found.get(idOf(found));
    return known !== undefined && (known.isLoss || found.isLoss === false);
  }

  /** What a release sees of a property: the worst. */
  statusOf(entity: string, reader: ReleaseName, property: string): SeenStatus {
    const all = this.list().filter(
      (each) => each.entity === entity && each.reader === reader && each.property === property,
    );
    return (all.find(({ isLoss }) => isLoss) ?? all[0])?.status ?? "seen";
  }

  /** Losses first, then the shortest histories. */
  list(): readonly ReleaseFinding[] {
    const rank = ({ isLoss, history }: ReleaseFinding): number => (isLoss ? 0 : 1000) + history.length;
    return [...this.#found.values()].toSorted((a, b) => rank(a) - rank(b));
  }
}

/** An index may both lack rows and hold values twice: two findings. */
const idOf = ({ table, entity, property = "", index = "", reader, status }: Found): string =>
  [table, entity, property, index, reader, status === "not enforced"].join("\n");
