import type { JSX } from "preact";
import type { CensusCount } from "../../api/jobs.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { FactsTable } from "./facts-table.tsx";
import { JobLine } from "./job-line.tsx";
import { useJob } from "./use-job.ts";

/** The number of rows of each kind and version, and their properties. */
export function KindsView(): JSX.Element {
  const work = useJob("census");
  const counts = work.job?.census;
  return (
    <div class="page">
      <JobLine
        work={work}
        label={counts === undefined ? "Count" : "Count again"}
        note="Reads the complete table once."
      />
      {counts !== undefined && <Counts counts={counts} />}
      <Declared />
    </div>
  );
}

function Counts({ counts }: { readonly counts: readonly CensusCount[] }): JSX.Element {
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <FactsTable
      caption={`${all.toLocaleString("en")} rows`}
      columns={["Kind", "Version", "#Rows", "Share", "Most common properties"]}
      rows={counts
        .toSorted((a, b) => b.count - a.count)
        .map(({ kind, version, count, shapes }) => [
          kind === undefined ? "–" : printable(kind),
          version ?? "–",
          count.toLocaleString("en"),
          <meter min={0} max={all} value={count} aria-label={`${count} of ${all}`} />,
          { class: "shape", content: <Shapes shapes={shapes} /> },
        ])}
    />
  );
}

const Shapes = ({ shapes }: Pick<CensusCount, "shapes">): JSX.Element => (
  <>
    {printable(shapes[0]?.properties.join(", ") ?? "")}
    {shapes.length > 1 && <small> and {shapes.length - 1} other shapes</small>}
  </>
);

/** The module's declarations for this table. */
function Declared(): JSX.Element {
  const classes = useStudio().tableInfo.value?.classes ?? [];
  return (
    <FactsTable
      caption="Declared"
      columns={["Class", "Kind", "Version", "Key", "Children", "Indexes"]}
      rows={classes.map(({ name, kind, version, fields, children, indexes }) => [
        name,
        kind ?? "–",
        version ?? "–",
        {
          class: "shape",
          content: fields.flatMap((field) => (field.key === undefined ? [] : [field.name])).join(", "),
        },
        children.join(", ") || "–",
        indexes.join(", ") || "–",
      ])}
    />
  );
}
