import type { StoredEntity } from "@partita/core/storage";
import { isFull, isLong } from "@partita/test-support/effort";
import { type SimulatedRun, scenario, simulate } from "@partita/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StoredFile, tableFiles } from "../../src/index.ts";
import { Zones } from "../../src/paths/zones.ts";
import { rowsOf } from "../../src/rows/rows.ts";
import { filesOptions, Journal } from "./actors.ts";
import { placeKey } from "./truth.ts";

const day = 86_400_000;
const { LayoutRow, HeadRow, FileRow, OldMetadataRow, own, small, oldOwn, oldSmall } = rowsOf(
  "Docs",
  new Zones(["/scratch"]),
);

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

/** After a reclaim of all that can be reclaimed, each row belongs to a current file, or is the head of a path. */
async function checkRows({ storage, seed }: SimulatedRun, { truth }: Journal): Promise<void> {
  const now = Date.UTC(2026, 0, 1) + 3 * day;
  const clock = { now: () => now, wait: () => Promise.resolve() };
  const files = tableFiles(storage, { ...filesOptions, clock });
  for (let i = 0; i < 2; i++) await files.reclaim({ concurrency: 1 });
  const current = new Set(
    [...truth.heads].flatMap(([path, version]) => (version === undefined ? [] : placeKey(path, version))),
  );
  for (const { PartitionKey, RowKey } of await rowsIn(storage, "DocsFiles")) {
    const [kind, path = "", number = ""] = RowKey.split("!");
    const version = kind === "version" ? String(9_999_999_999 - Number(number)) : number;
    const isOfHead = PartitionKey === "!" || kind === "head";
    if (kind === "old" || kind === "metadata") throw new Error(`the row ${RowKey} was kept for too long`);
    if (!isOfHead && !current.has(`${path}!${version.padStart(10, "0")}`))
      throw new Error(`the row ${RowKey} has no file`);
  }
  for (const { PartitionKey, RowKey } of await rowsIn(storage, "DocsBlocks"))
    if (RowKey.startsWith("old_") || !current.has(PartitionKey))
      throw new Error(`the row ${RowKey} of ${PartitionKey} has no file`);
  for await (const info of files.list()) {
    const { path, version } = info;
    const file = (await files.open(path)) as StoredFile;
    const blocks = [...truth.of(path, version).blocks].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const text = blocks.map(([, content]) => content).join("");
    expect(await file.text(), `${path} of seed ${seed}`).toBe(text);
    expect([await file.blockCount(), await file.size()]).toEqual([blocks.length, text.length]);
    // The head has what the version's row has.
    expect((await files.open(path, { version }))?.info).toEqual(info);
  }
}

async function rowsIn(storage: SimulatedRun["storage"], table: string): Promise<readonly StoredEntity[]> {
  const { entities, next } = await storage.query(table, {});
  expect(next).toBeUndefined();
  return entities;
}

/** Clients of one file system, of which anything may fail, be late, or be killed. */
function clients(onEnd: (journal: Journal) => void) {
  let journal = new Journal();
  return scenario({
    classes: [LayoutRow, HeadRow, FileRow, OldMetadataRow, own, small, oldOwn, oldSmall],
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
  : [1, 251, 501, 751].map((first) => ({ first, count: isFull ? 150 : 75 }));

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
