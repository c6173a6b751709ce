import { isFull } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import {
  checkRelease,
  compareModels,
  describeRelease,
  type ReleaseAct,
  snapshotModel,
} from "../../src/index.ts";
import { compatible, type PairOfReleases, planted } from "./planted.ts";

/** Shorter than by default: the shortest histories of all of these have at most two acts. */
const short = { acts: 2, histories: 8 };
const longer = isFull ? { acts: 3, histories: 20 } : short;

const inWords = ({ release, act, row }: ReleaseAct): string => `${release} ${act} ${row}`;

test.each(planted.map((each) => [each.change, each] as const))(
  "%s is found, with the shortest history",
  async (_change, { found: [subject, reader, status, acts], values, ...pair }) => {
    const report = await checkRelease(pair.old, pair.new, { ...short, values });

    expect(report.isCompatible).toBe(false);
    const found = report.findings.map((each) => ({
      subject: each.property ?? each.index ?? each.entity,
      reader: each.reader,
      status: each.status,
      isLoss: each.isLoss,
      acts: each.history.map(inWords),
    }));
    expect(found).toContainEqual({ subject, reader, status, isLoss: true, acts });
  },
);

test.each(compatible.map((each) => [each.change, each] as const))(
  "%s loses nothing, and no loss is reported",
  async (_change, { values, ...pair }) => {
    const report = await checkRelease(pair.old, pair.new, { ...longer, values });

    expect(report.findings.filter(({ isLoss }) => isLoss)).toStrictEqual([]);
    expect(report.classes.flatMap(({ unchecked }) => unchecked)).toStrictEqual([]);
    expect(describeRelease(report)).toContain("Nothing is lost");
  },
);

const compared = ({ old, new: newer }: PairOfReleases): readonly string[] =>
  compareModels(snapshotModel(old), snapshotModel(newer)).map(({ severity }) => severity);

test.each(
  planted.filter(({ isOfFunctions }) => isOfFunctions !== true).map((each) => [each.change, each] as const),
)("%s is found in snapshots, too", (_change, pair) => {
  expect(compared(pair).filter((severity) => severity.startsWith("breaks"))).not.toStrictEqual([]);
});

test.each(compatible.map((each) => [each.change, each] as const))(
  "%s breaks nothing in snapshots",
  (_change, pair) => {
    expect(compared(pair).filter((severity) => severity.startsWith("breaks"))).toStrictEqual([]);
  },
);
