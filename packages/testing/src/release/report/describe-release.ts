import type {
  ReleaseAct,
  ReleaseClass,
  ReleaseFinding,
  ReleaseReport,
  SeenStatus,
} from "../release-report.ts";

/**
 * Formats a report for people: how each release sees the other's values, one line per property, then each loss with its
 * shortest history. It contains no values.
 *
 * ```ts
 * console.log(describeRelease(await checkRelease([OldNote], [Note])));
 * ```
 */
export function describeRelease(report: ReleaseReport): string {
  const { classes, findings, histories, seed } = report;
  const losses = findings.filter(({ isLoss }) => isLoss);
  const others = findings.filter(({ isLoss }) => !isLoss);
  const count = `${histories.toLocaleString("en")} histories, seed ${seed}`;
  const verdict =
    losses.length === 0
      ? `Nothing is lost while both releases run (${count}).`
      : `${losses.length} ${losses.length === 1 ? "thing is" : "things are"} lost while both releases run (${count}).`;
  return [
    ...classes.flatMap(describeClass),
    ...losses.flatMap(describeFinding),
    ...(others.length === 0
      ? []
      : ["Seen with less detail, but not lost:", ...others.flatMap(describeFinding)]),
    verdict,
  ].join("\n");
}

function describeClass({
  table,
  old,
  new: newer,
  kind,
  properties,
  unchecked,
}: ReleaseClass): readonly string[] {
  const name =
    old === newer || old === undefined || newer === undefined ? (newer ?? old ?? "") : `${old} → ${newer}`;
  const where = `${name} in ${table}${kind === undefined ? "" : `, kind ${kind}`}`;
  if (old === undefined || newer === undefined)
    return [`${where}: only in the ${old === undefined ? "new" : "old"} release`, ""];
  const lines = properties.map(({ old: from, new: to, oldSees, newSees }) => [
    namesOf(from, to),
    from.length === 0 ? "" : `old sees: ${oldSees}`,
    to.length === 0 ? "" : `new sees: ${newSees}`,
  ]);
  return [where, ...inColumns(lines), ...unchecked.map((each) => `  Not tried: ${each}`), ""];
}

const namesOf = (from: readonly string[], to: readonly string[]): string => {
  if (from.length === 0) return `${to.join(", ")} (new)`;
  if (to.length === 0) return `${from.join(", ")} (gone)`;
  return from.join() === to.join() ? from.join(", ") : `${from.join(", ")} → ${to.join(", ")}`;
};

function inColumns(lines: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1].map((at) => Math.max(0, ...lines.map((line) => (line[at] ?? "").length)));
  return lines.map((line) =>
    `  ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd(),
  );
}

function describeFinding({ message, history, property, reader, status }: ReleaseFinding): readonly string[] {
  const acts = history.map(describeAct);
  const seen = `${reader} sees${property === undefined ? "" : ` ${property}`}: ${status satisfies SeenStatus}`;
  return [message, `  ${[...acts, seen].join(" · ")}`, ""];
}

/** Formats an action without values: `old changes price of row 1`. */
function describeAct({ release, act, row, properties }: ReleaseAct): string {
  const what = properties === undefined ? `row ${row}` : `${properties.join(", ")} of row ${row}`;
  return act === "copies"
    ? `${release} copies the values that it read to row ${row}`
    : `${release} ${act} ${what}`;
}
