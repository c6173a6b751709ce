import { join } from "node:path";
import { readResults } from "../../../bench/src/run/results-file.ts";
import { describeMachine, measurementTables } from "../../../bench/src/tables.ts";
import type { Page } from "../pages/page.ts";
import { workspace } from "../workspace.ts";

/** The file of results is a page of the site: links to it lead there. */
const source = "docs/benchmarks/results.json";

/** Every measurement as a table. */
export function measurementsPage(): Page {
  const results = readResults(join(workspace, source));
  const text = [
    "# All measurements",
    "Every figure of `pnpm bench`, with its target. The [guide to benchmarks](../benchmarks.md) explains how they are measured.",
    describeMachine(results),
    "A cost is the median of several rounds. The column “× baseline” has the ratio to the row's first contender and, in parentheses, the ratio of the lower quartiles. Partita's contenders are bold.",
    measurementTables(results),
  ];
  return { source, path: "benchmarks/measurements", text: `${text.join("\n\n")}\n` };
}
