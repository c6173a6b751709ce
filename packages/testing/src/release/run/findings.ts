import type { ReleaseAct, ReleaseFinding, ReleaseName, SeenStatus } from "../release-report.ts";
import { messageOfFinding } from "../report/finding-messages.ts";

/** A finding without its message. */
export type Found = Omit<ReleaseFinding, "message" | "isLoss" | "history"> & {
  readonly isLoss?: boolean;
};

/** Collects findings, with the shortest history for each property, index or row of a class, and reader. */
export class Findings {
  readonly #found = new Map<string, ReleaseFinding>();

  /** @returns whether it is new, or its history is shorter than the known one */
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

  /** Whether the same finding is known, with any history. */
  has(found: Found): boolean {
    const known = this.#found.get(idOf(found));
    return known !== undefined && (known.isLoss || found.isLoss === false);
  }

  /** The worst status of a property. */
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

/** An index may both lack rows and contain duplicates: two findings. */
const idOf = ({ table, entity, property = "", index = "", reader, status }: Found): string =>
  [table, entity, property, index, reader, status === "not enforced"].join("\n");
