import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { UpgradeElsewhere } from "../../api/jobs.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";

const lookEveryMs = 2000;
/** A worker shows that it is alive within 15 seconds. */
const looksUntilStopped = 8;

/** What was seen of an upgrade, and for how many looks it has not moved; undefined before its first move. */
interface Seen {
  readonly upgrade: UpgradeElsewhere | null;
  readonly hasMoved: boolean;
  readonly still: number;
}

const nothing: Seen = { upgrade: null, hasMoved: false, still: 0 };

/** How far an upgrade of the table is that another program runs. */
export function UpgradeElsewhereView({ table }: { readonly table: string }): JSX.Element | null {
  const { upgrade, hasMoved, still } = useUpgradeElsewhere(table);
  if (upgrade === null) return null;
  const { pass, after, pagesAtWork } = upgrade;
  const place =
    after === undefined ? "" : ` up to ${printable(after.partitionKey)} / ${printable(after.rowKey)}`;
  return (
    <p class="outcome" role="status">
      {still >= looksUntilStopped
        ? `An upgrade was stopped on its way${place}. “Upgrade” goes on with it.`
        : hasMoved
          ? `Another program upgrades this table: pass ${pass}${place}, ${pagesAtWork} pages at work.`
          : `An upgrade has begun: pass ${pass}${place}. Looking whether a program works at it …`}
    </p>
  );
}

/** Looks again and again while it is shown. */
function useUpgradeElsewhere(table: string): Seen {
  const { api } = useStudio();
  const [seen, setSeen] = useState(nothing);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const look = async (): Promise<void> => {
      // A request that fails shows nothing new; the next one may.
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
