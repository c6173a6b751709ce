import type { Survey } from "@partita/maintenance/internal";
import { inSession } from "../session/session.ts";
import { openTarget } from "../storage/open-target.ts";
import { counted } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";

/** `partita heat`: prints the sizes of a table's partitions. */
export const heat = (
  [storage = "", table = ""]: readonly string[],
  { json = false }: { readonly json?: boolean },
): Promise<number> =>
  inSession(async ({ out, bar, say, signal }) => {
    await using opened = await openTarget(storage);
    const { surveyPartitions } = await import("@partita/maintenance/internal");
    const survey = await surveyPartitions(opened, table, {
      signal,
      onProgress: (read) => bar.say(`${table}  ${counted(read, "row")}`),
    });
    bar.end();
    if (opened.isUnordered === true)
      say(
        "This storage does not return rows in the order of their keys, so a partition may be counted in parts.",
      );
    if (json) await out.line(JSON.stringify(survey));
    else for (const line of linesOf(survey)) await out.line(line);
    return 0;
  });

function* linesOf({ rows, partitions, ranges, largest }: Survey): Generator<string> {
  yield `${counted(rows, "row")} in ${counted(partitions, "partition")}.`;
  if (rows === 0) return;
  yield `Rows from the first key to the last: ${strip(ranges.map((range) => range.rows))}`;
  yield "The largest partitions:";
  for (const { partitionKey, rows: own } of largest)
    yield `${own.toLocaleString("en").padStart(12)}  ${percent(own / rows).padStart(6)}  ${printable(JSON.stringify(partitionKey))}`;
}

const blocks = "▁▂▃▄▅▆▇█";
const maxBlocks = 60;

/** One block for each range of keys, as high as its share of the largest. */
function strip(rows: readonly number[]): string {
  const perBlock = Math.ceil(rows.length / maxBlocks);
  const sums = Array.from({ length: Math.ceil(rows.length / perBlock) }, (_, i) =>
    rows.slice(i * perBlock, (i + 1) * perBlock).reduce((sum, each) => sum + each, 0),
  );
  const largest = Math.max(...sums);
  return sums.map((sum) => blocks[Math.ceil((sum / largest) * blocks.length) - 1]).join("");
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
