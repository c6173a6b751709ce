import type { StoredEntity } from "@partita/core/storage";
import { isFull, isLong } from "@partita/test-support/effort";
import { type SimulatedRun, scenario, simulate } from "@partita/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tableFiles } from "../../src/index.ts";
import { rowsOf } from "../../src/rows/file-rows.ts";
import { filesOptions, Journal } from "./actors.ts";
import { placeKey } from "./truth.ts";

const day = 86_400_000;
const { LayoutRow, FileRow, StateRow, BlockRow } = rowsOf("Docs", 1);

// Many requests here fail, and nobody looks where.
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

/** What was said of what clients did is so, when nothing is on its way any more. */
function checkClaims({ truth, claims, failedWrites, metadata }: Journal): void {
  const all = [...truth.versions.values()];
  for (const { content, isStored } of claims) {
    // Copies have the same blocks.
    const times = Math.max(
      0,
      ...all.map(({ inserted }) => inserted.filter((one) => one.content === content).length),
    );
    if (times > 1) throw new Error(`${content} was appended twice`);
    if (isStored === "no" && times > 0) throw new Error(`${content} was refused, and is stored`);
    if (isStored === "yes" && times === 0) throw new Error(`${content} was appended, and is not stored`);
  }
  for (const content of failedWrites)
    for (const { inserted, states } of all)
      if (states.includes("current") && inserted.map((one) => one.content).join("") === content)
        throw new Error(`${content} failed, and was current`);
  for (const { version, member } of metadata)
    if (!version.metadata.includes(member)) throw new Error(`the metadata ${member} was lost`);
}

/** After a reclaim of all that can be reclaimed, each row belongs to a file, or is a path's newest number. */
async function checkRows({ storage, seed }: SimulatedRun, { truth }: Journal): Promise<void> {
  const now = Date.UTC(2026, 0, 1) + 3 * day;
  const clock = { now: () => now, wait: () => Promise.resolve() };
  const files = tableFiles(storage, { ...filesOptions, clock });
  for (let i = 0; i < 2; i++) await files.reclaim({ concurrency: 1 });
  const owners = new Set<string>();
  const newest = new Set<string>();
  for (const row of await rowsIn(storage, "DocsFiles")) {
    if (row.PartitionKey === "!") continue;
    const { path, version } = [...truth.versions.values()].find((one) => keyEnds(row, one)) ?? {
      path: "",
      version: 0,
    };
    if (row["State"] === "current") owners.add(placeKey(path, version));
    else if (row["State"] !== "reclaimed" || newest.has(path))
      throw new Error(`${path} ${version} is ${row["State"]}`);
    newest.add(path);
  }
  for (const { PartitionKey, RowKey } of await rowsIn(storage, "DocsBlocks"))
    if (!owners.has(PartitionKey)) throw new Error(`the row ${RowKey} of ${PartitionKey} has no file`);
  for await (const { path, version } of files.list()) {
    const text = await (await files.open(path))?.text();
    const blocks = [...truth.of(path, version).blocks].toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect(text, `${path} of seed ${seed}`).toBe(blocks.map(([, content]) => content).join(""));
  }
}

const keyEnds = (row: StoredEntity, one: { path: string; version: number }): boolean =>
  row.RowKey === `${placeKey(one.path, one.version).split("!")[0]}!${String(9_999_999_999 - one.version)}`;

async function rowsIn(storage: SimulatedRun["storage"], table: string): Promise<readonly StoredEntity[]> {
  const { entities, next } = await storage.query(table, {});
  expect(next).toBeUndefined();
  return entities;
}

/** Clients of one file system, of which anything may fail, be late, or be killed. */
function clients(onEnd: (journal: Journal) => void) {
  let journal = new Journal();
  return scenario({
    classes: [LayoutRow, FileRow, StateRow, BlockRow],
    setup: () => void (journal = new Journal()),
    actors: { client: (tools) => journal.step(tools) },
    check: {
      name: "files",
      begin: (run) => ({
        afterSetup: () => journal.begin(run.storage),
        afterWrite: (entry) => journal.truth.apply(entry),
        atEnd: async () => {
          checkClaims(journal);
          await checkRows(run, journal);
          onEnd(journal);
        },
      }),
    },
  });
}

/** Each part is a test of its own, with its own time. */
const parts = isLong
  ? [{ first: 1, count: 20_000 }]
  : [1, 251, 501, 751].map((first) => ({ first, count: isFull ? 250 : 75 }));

test.each(parts)(
  "appends are whole and once, readers miss nothing, heads are taken once, and nothing is left over ($count seeds from $first)",
  async ({ first, count }) => {
    const seen = { appends: 0, taken: 0, versions: 0 };
    const report = await simulate(
      clients(({ claims, taken, truth }) => {
        seen.appends += claims.filter(({ isStored }) => isStored === "yes").length;
        seen.taken += taken.size;
        seen.versions += truth.versions.size;
      }),
      {
        seeds: Array.from({ length: count }, (_, i) => first + i),
        actors: 3,
        steps: 3,
        faults: { rate: 0.08, stops: 0.3 },
        maxShrinks: 300,
      },
    );
    expect(report.lateArrivals).toBeGreaterThan(count / 10);
    expect(seen.appends).toBeGreaterThan(count / 2);
    expect(seen.taken).toBeGreaterThan(count / 20);
    expect(seen.versions).toBeGreaterThan(count);
  },
);
