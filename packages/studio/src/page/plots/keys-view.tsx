import type { CSSProperties, JSX } from "preact";
import type { Survey } from "../../api/jobs.ts";
import { printable } from "../text/printable.ts";
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
          <Load survey={survey} />
        </>
      )}
      {survey?.rows === 0 && <p class="empty">The table has no rows.</p>}
    </div>
  );
}

const plotWidth = 960;
const plotHeight = 180;

/** Rows of neighbouring partitions, in key order. */
function Distribution({ survey }: { readonly survey: Survey }): JSX.Element {
  const { ranges, rows, partitions } = survey;
  const most = Math.max(...ranges.map((range) => range.rows));
  const width = plotWidth / ranges.length;
  const [first, last] = [ranges[0], ranges.at(-1)];
  return (
    <figure>
      <figcaption>
        <strong>Key distribution</strong> {rows.toLocaleString("en")} rows in{" "}
        {partitions.toLocaleString("en")} partitions; a bar is{" "}
        {ranges.length === partitions ? "a partition" : "a range of partitions"}, the highest{" "}
        {most.toLocaleString("en")} rows
      </figcaption>
      <svg
        class="plot"
        viewBox={`0 0 ${plotWidth} ${plotHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Rows by PartitionKey"
      >
        {[0.25, 0.5, 0.75, 1].map((share) => (
          <line
            key={share}
            class="rule"
            x1={0}
            x2={plotWidth}
            y1={plotHeight - share * (plotHeight - 4)}
            y2={plotHeight - share * (plotHeight - 4)}
          />
        ))}
        {ranges.map((range, i) => {
          const height = Math.max(1, (range.rows / most) * (plotHeight - 4));
          const barWidth = Math.min(Math.max(width - (width > 4 ? 1 : 0), 0.5), 80);
          return (
            <rect
              key={i}
              class="bar"
              x={i * width + Math.max(0, width - barWidth) / 2}
              y={plotHeight - height}
              width={barWidth}
              height={height}
            >
              <title>
                {`${printable(range.from)}${range.partitions > 1 ? ` … ${printable(range.to)}` : ""}: ${range.rows} rows`}
              </title>
            </rect>
          );
        })}
      </svg>
      <div class="axis">
        <span>{printable(first?.from ?? "")}</span>
        <span>PartitionKey</span>
        <span>{printable(last?.to ?? "")}</span>
      </div>
    </figure>
  );
}

/** The largest partitions, and the times of their last writes. */
function Load({ survey: { largest, moments } }: { readonly survey: Survey }): JSX.Element {
  const most = Math.max(1, ...largest.flatMap(({ written }) => written));
  return (
    <figure>
      <figcaption>
        <strong>Partition heat</strong> the largest partitions. A cell shows the number of rows last written
        at that time; the darkest is {most.toLocaleString("en")}
      </figcaption>
      <table class="heat">
        <colgroup>
          <col class="heat-name" />
          <col class="heat-rows" />
          <col span={Math.max(1, moments.length)} />
        </colgroup>
        <thead class="hidden">
          <tr>
            <th scope="col">Partition</th>
            <th scope="col">Rows</th>
            {moments.map((moment) => (
              <th key={moment} scope="col">
                {moment}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {largest.map(({ partitionKey, rows, written }) => (
            <tr key={partitionKey}>
              <th scope="row" title={printable(partitionKey)}>
                {printable(partitionKey)}
              </th>
              <td class="number">{rows.toLocaleString("en")}</td>
              {written.map((count, i) => (
                <td
                  key={i}
                  class="heat-cell"
                  title={`${moments[i]?.replace("T", " ").slice(0, 19)}: ${count} rows`}
                  style={
                    {
                      "--heat": String(count === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(count / most)),
                    } as CSSProperties
                  }
                >
                  <span class="hidden">{count}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="axis">
        <span>{moments[0]?.replace("T", " ").slice(0, 16)}</span>
        <span>last written</span>
        <span>{moments.at(-1)?.replace("T", " ").slice(0, 16)}</span>
      </div>
    </figure>
  );
}
