import type { JSX } from "preact";
import { Distribution } from "./distribution.tsx";
import { HeatMap } from "./heat-map.tsx";
import { JobLine } from "./job-line.tsx";
import { useJob } from "./use-job.ts";

/** The distribution of rows over partitions, and the write times of the largest partitions. */
export function KeysView(): JSX.Element {
  const work = useJob("survey");
  const survey = work.job?.survey;
  return (
    <div class="page">
      <JobLine
        work={work}
        label={survey === undefined ? "Read keys" : "Read keys again"}
        note="Reads the keys and timestamps of the complete table once."
      />
      {survey !== undefined && survey.rows > 0 && (
        <>
          <Distribution survey={survey} />
          <HeatMap survey={survey} />
        </>
      )}
      {survey?.rows === 0 && <p class="empty">The table has no rows.</p>}
    </div>
  );
}
