import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { UpgradeElsewhere } from "../../api/jobs.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";

const lookEveryMs = 2000;
/** A worker reports progress at least every 15 seconds. */
const looksUntilStopped = 8;

/**
 * An upgrade of another program, and the number of polls without progress. Undefined before its first
 * progress.
 */
interface Seen {
  readonly upgrade: UpgradeElsewhere | null;
  readonly hasMoved: boolean;
  readonly still: number;
}

const nothing: Seen = { upgrade: null, hasMoved: false, still: 0 };

/** The progress of an upgrade of the table by another program. */
export function UpgradeElsewhereView({ table }: { readonly table: string }): JSX.Element | null {
  const { upgrade, hasMoved, still } = useUpgradeElsewhere(table);
  if (upgrade === null) return null;
  const { pass, after, pagesAtWork } = upgrade;
  const place =
    after === undefined ? "" : ` up to ${printable(after.partitionKey)} / ${printable(after.rowKey)}`;
  return (
    <p class="outcome" role="status">
      {still >= looksUntilStopped
        ? `An upgrade was stopped${place}. “Upgrade” continues it.`
        : hasMoved
          ? `Another program is upgrading this table: pass ${pass}${place}, ${pagesAtWork} pages in progress.`
          : `An upgrade was started: pass ${pass}${place}. Checking whether a program is working on it …`}
    </p>
  );
}

/** Polls while it is shown. */
function useUpgradeElsewhere(table: string): Seen {
  const { api } = useStudio();
  const [seen, setSeen] = useState(nothing);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const look = async (): Promise<void> => {
      // Ignore a failed request, since the next one may succeed.
      const upgrade = await api.upgradeElsewhere(table).catch(() => undefined);
      if (!isShown) return;
      if (upgrade !== undefined) setSeen((before) => next(before, upgrade));
      timer = setTimeout(() => void look(), lookEveryMs);
    };
    void look();
    return () => {
      isShown = false;
      clearTimeout(timer);
      setSeen(nothing);
    };
  }, [api, table]);
  return seen;
}

function next({ upgrade: before, hasMoved, still }: Seen, upgrade: UpgradeElsewhere | null): Seen {
  if (upgrade === null || before === null) return { ...nothing, upgrade };
  const moves = upgrade.mark !== before.mark;
  return { upgrade, hasMoved: hasMoved || moves, still: moves ? 0 : still + 1 };
}
