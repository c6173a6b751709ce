import type { JSX } from "preact";
import type { UpgradeSummary, VersionTotal } from "../../api/jobs.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { FactsTable } from "./facts-table.tsx";
import { JobLine } from "./job-line.tsx";
import { UpgradeElsewhereView } from "./upgrade-elsewhere.tsx";
import { useJob } from "./use-job.ts";

/** Upgrades the rows of the table to their current versions, and shows the progress. */
export function UpgradeView(): JSX.Element {
  const studio = useStudio();
  const work = useJob("upgrade");
  const isReadOnly = studio.info.value?.isReadOnly === true;
  const summary = work.job?.upgrade;
  const dryRun: typeof work = { ...work, start: () => work.start({ isDryRun: true }) };
  return (
    <div class="page">
      <p>
        Stores each row of an older version in its current version, under its ETag. You can stop it at any
        time, and other programs can upgrade the same table meanwhile.
      </p>
      <JobLine
        work={isReadOnly ? dryRun : work}
        label={isReadOnly ? "Try in memory" : "Upgrade"}
        note={isReadOnly ? "Nothing is written." : "Writes to the table."}
      >
        {!isReadOnly && (
          <button type="button" onClick={() => work.start({ isDryRun: true })}>
            Try in memory
          </button>
        )}
      </JobLine>
      {work.job?.state !== "running" && <UpgradeElsewhereView table={studio.table.value ?? ""} />}
      {summary !== undefined && <Summary summary={summary} />}
    </div>
  );
}

function Summary({ summary }: { readonly summary: UpgradeSummary }): JSX.Element {
  const { isDryRun, upgraded, isClean, before, after, left, leftCount } = summary;
  const count = upgraded.toLocaleString("en");
  return (
    <>
      <p class="outcome" data-clean={isClean}>
        {isDryRun ? `${count} rows would be upgraded.` : `${count} rows were upgraded.`}
        {isClean && " All rows are in their current version."}
      </p>
      <div class="side-by-side">
        <Versions caption="Before" totals={before} />
        {!isDryRun && <Versions caption="After" totals={after} />}
      </div>
      {leftCount > 0 && (
        <FactsTable
          caption={`${leftCount.toLocaleString("en")} rows were not upgraded`}
          rows={left.map(({ partitionKey, rowKey, reason }) => [partitionKey, rowKey, reason].map(printable))}
        />
      )}
    </>
  );
}

const Versions = ({
  caption,
  totals,
}: {
  readonly caption: string;
  readonly totals: readonly VersionTotal[];
}): JSX.Element => (
  <FactsTable
    caption={caption}
    columns={["Kind", "Version", "#Rows"]}
    rows={totals.map(({ kind, version, count }) => [
      kind === undefined ? "–" : printable(kind),
      version ?? "–",
      count.toLocaleString("en"),
    ])}
  />
);
