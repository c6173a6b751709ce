import type { CSSProperties, JSX } from "preact";
import type { Survey } from "../../api/jobs.ts";
import { counted } from "../text/counted.ts";
import { printable } from "../text/printable.ts";
import { HorizontalAxis } from "./axis.tsx";
import { timeAxis } from "./ticks.ts";

/** Times that the axis names. */
const namedTimes = 6;

/** The largest partitions, and the times of their last writes. */
export function HeatMap({ survey: { largest, moments } }: { readonly survey: Survey }): JSX.Element {
  const most = Math.max(1, ...largest.flatMap(({ written }) => written));
  const { ticks, column, days } = timeAxis(moments, namedTimes);
  return (
    <figure>
      <figcaption>
        <strong>Partition heat</strong> when the rows of the largest partitions were last written. A column is{" "}
        {column}; the strongest cell has {counted(most, "row")}
      </figcaption>
      <table class="heat">
        <colgroup>
          <col class="heat-name" />
          <col class="heat-rows" />
          <col span={Math.max(1, moments.length)} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Partition</th>
            <th scope="col" class="number">
              Rows
            </th>
            {moments.map((moment) => (
              <th key={moment} scope="col">
                <span class="hidden">{timeText(moment)}</span>
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
                  title={`${timeText(moments[i] ?? "")}: ${counted(count, "row")}`}
                  style={{ "--heat": String(heatOf(count, most)) } as CSSProperties}
                >
                  <span class="hidden">{count}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="heat-axis">
        <HorizontalAxis ticks={ticks} title={`last written, ${days} UTC`} />
      </div>
    </figure>
  );
}

const timeText = (moment: string): string => `${moment.replace("T", " ").slice(0, 19)} UTC`;

const heatOf = (count: number, most: number): number =>
  count === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(count / most);
