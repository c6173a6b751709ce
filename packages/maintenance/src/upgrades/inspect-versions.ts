import { keyOfStored } from "@partita/core/internal";
import { ageOf, currentRow, type LabelNames, labelOf, unlessUpgradeFails } from "@partita/core/internal/jobs";
import type { EntityModel } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import type { VersionCount } from "./census.ts";
import type { RowLeftBehind } from "./upgrade-report.ts";

/** The versions in a table, and the older rows that cannot be upgraded. */
export interface Findings {
  readonly counts: readonly VersionCount[];
  /** Older rows that can be upgraded. */
  readonly open: number;
  /** Rows that cannot be upgraded, up to the limit of a report. */
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
}

/** The options of an inspection. */
export interface InspectOptions {
  readonly names: LabelNames;
  /** The class of a row; undefined to leave it alone. */
  readonly modelOf: (row: StoredEntity) => EntityModel | undefined;
  /** The reason why storage refused the upgraded form of a row, if it was tried. */
  readonly refusalOf: (row: StoredEntity) => RowLeftBehind | undefined;
}

/** Maximum number of skipped rows in a report. */
const maxListed = 1000;

/** Counts rows by kind and version. */
export class VersionCounter {
  readonly #counts = new Map<string, Count>();
  /** Rows of one kind and version are often consecutive. */
  #last: Count | undefined;

  add({ kind, version }: Omit<VersionCount, "count">, count: number = 1): void {
    if (this.#last === undefined || this.#last.kind !== kind || this.#last.version !== version)
      this.#last = this.#countOf(kind, version);
    this.#last.count += count;
  }

  #countOf(kind: VersionCount["kind"], version: VersionCount["version"]): Count {
    const id = JSON.stringify([kind, version]);
    const count = this.#counts.get(id) ?? { kind, version, count: 0 };
    this.#counts.set(id, count);
    return count;
  }

  get counts(): readonly VersionCount[] {
    return [...this.#counts.values()].filter(({ count }) => count > 0);
  }
}

type Count = { -readonly [Name in keyof VersionCount]: VersionCount[Name] };

/** Counts the rows of a table by kind and version, and finds those that cannot be upgraded. */
export async function inspectVersions(
  pages: AsyncIterable<readonly StoredEntity[]>,
  options: InspectOptions,
): Promise<Findings> {
  const counter = new VersionCounter();
  const left: RowLeftBehind[] = [];
  let [open, leftCount] = [0, 0];
  for await (const page of pages)
    for (const row of page) {
      counter.add(labelOf(row, options.names));
      const found = stateOf(row, options);
      if (found === "open") open++;
      else if (found !== undefined && ++leftCount <= maxListed) left.push(found);
    }
  return { counts: counter.counts, open, left, leftCount };
}

/** Whether a row has an older version, and the reason if it cannot be upgraded. */
function stateOf(
  row: StoredEntity,
  { modelOf, refusalOf }: InspectOptions,
): "open" | RowLeftBehind | undefined {
  const model = modelOf(row);
  if (model === undefined) return undefined;
  return unlessUpgradeFails<"open" | RowLeftBehind | undefined>(
    () => {
      if (ageOf(model, row) !== "older") return undefined;
      currentRow(model, row);
      return refusalOf(row) ?? "open";
    },
    (reason) => ({ key: keyOfStored(row), reason }),
  );
}
