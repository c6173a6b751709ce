import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { compare, type Comparison } from "../src/compare.ts";
import type { ReportedRow } from "../src/report.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "partita-compare-"));
  vi.stubEnv("PARTITA_BENCH_LINES", join(folder, "lines.jsonl"));
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** What a comparison reports. */
async function reported(comparison: Pick<Comparison, "baseline" | "ours" | "peers">): Promise<ReportedRow> {
  await compare({ title: "Nothing", rounds: 3, warmMs: 0, ...comparison });
  const line = readFileSync(join(folder, "lines.jsonl"), "utf8");
  return (JSON.parse(line) as { readonly row: ReportedRow }).row;
}

/** A clock that each run sets forward. */
function costing(name: string, nanoseconds: number) {
  let now = 0;
  return { name, clock: () => Promise.resolve(now), run: () => void (now += nanoseconds) };
}

test("a contender may have a clock of its own, such as that of its server", async () => {
  const { contenders } = await reported({
    baseline: costing("by hand", 100),
    ours: { ...costing("ours", 250), target: { atMost: 2 } },
  });

  expect(contenders).toMatchObject([
    { name: "by hand", role: "baseline", median: 100, ratio: { median: 1 } },
    { name: "ours", role: "ours", median: 250, ratio: { median: 2.5, low: 2.5 }, target: { atMost: 2 } },
  ]);
});

test("a target may compare with another contender than the baseline", async () => {
  const { contenders } = await reported({
    baseline: costing("by hand", 100),
    ours: [
      { ...costing("ours", 300), target: { atMost: 2, of: "a peer" } },
      { ...costing("tracked", 400), target: { peer: "a peer", atLeast: 1 } },
    ],
    peers: [costing("a peer", 200)],
  });

  expect(contenders[1]?.targetRatio).toEqual({ median: 1.5, low: 1.5 });
  expect(contenders[2]?.targetRatio).toEqual({ median: 0.5, low: 0.5 });
});

test("what is prepared before each run is not counted", async () => {
  let now = 0;
  let prepared = 0;
  const clock = (): number => now;

  const { contenders } = await reported({
    baseline: costing("by hand", 100),
    ours: {
      name: "ours",
      clock,
      prepare: () => {
        prepared++;
        now += 5_000;
      },
      run: () => void (now += 300),
    },
  });

  expect(prepared).toBe(3);
  expect(contenders[1]).toMatchObject({ median: 300 });
});

test("the contender that a target names has to be in the row", async () => {
  await expect(
    reported({
      baseline: costing("by hand", 1),
      ours: { ...costing("ours", 1), target: { peer: "no such peer", atLeast: 2 } },
    }),
  ).rejects.toThrow("no such peer is to be compared with, and is no contender of the row.");
});
