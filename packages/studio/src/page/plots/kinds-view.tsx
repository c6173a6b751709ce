import type { JSX } from "preact";
import type { CensusCount } from "../../api/jobs.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { JobLine } from "./job-line.tsx";
import { useJob } from "./use-job.ts";

/** How many rows there are of each kind and version, and of which properties they are made. */
export function KindsView(): JSX.Element {
  const work = useJob("census");
  const counts = work.job?.census;
  return (
    <div class="page">
      <JobLine
        work={work}
        label={counts === undefined ? "Count" : "Count again"}
        note="Reads the whole table once."
      />
      {counts !== undefined && <Counts counts={counts} />}
      <Declared />
    </div>
  );
}

function Counts({ counts }: { readonly counts: readonly CensusCount[] }): JSX.Element {
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const ordered = counts.toSorted((a, b) => b.count - a.count);
  return (
    <table class="facts">
      <caption>{all.toLocaleString("en")} rows</caption>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Version</th>
          <th scope="col" class="number">
            Rows
          </th>
          <th scope="col">Share</th>
          <th scope="col">Properties of most of them</th>
        </tr>
      </thead>
      <tbody>
        {ordered.map(({ kind, version, count, shapes }) => (
          <tr key={`${kind}/${version}`}>
            <td>{kind === undefined ? "–" : printable(kind)}</td>
            <td>{version ?? "–"}</td>
            <td class="number">{count.toLocaleString("en")}</td>
            <td>
              <meter min={0} max={all} value={count} aria-label={`${count} of ${all}`} />
            </td>
            <td class="shape">
              {printable(shapes[0]?.properties.join(", ") ?? "")}
              {shapes.length > 1 && <small> and {shapes.length - 1} other shapes</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the module declares for this table. */
function Declared(): JSX.Element {
  const classes = useStudio().tableInfo.value?.classes ?? [];
  return (
    <table class="facts">
      <caption>Declared</caption>
      <thead>
        <tr>
          <th scope="col">Class</th>
          <th scope="col">Kind</th>
          <th scope="col">Version</th>
          <th scope="col">Key</th>
          <th scope="col">Children</th>
          <th scope="col">Indexes</th>
        </tr>
      </thead>
      <tbody>
        {classes.map(({ name, kind, version, fields, children, indexes }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{kind ?? "–"}</td>
            <td>{version ?? "–"}</td>
            <td class="shape">
              {fields
                .filter(({ key }) => key !== undefined)
                .map((field) => field.name)
                .join(", ")}
            </td>
            <td>{children.join(", ") || "–"}</td>
            <td>{indexes.join(", ") || "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
