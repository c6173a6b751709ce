// Random programs of an old and a new release, two workers that die, and lost responses: no committed change is lost,
// and at the end every entity is stored once, under its new key.
import { setImmediate as nextTurn } from "node:timers/promises";
import { amountOf } from "@partita/test-support/effort";
import { randomFaults, randomNumbers, withFaults } from "@partita/testing";
import { countedStorage, countedUntil } from "@partita/test-support/death";
import { shortWaits } from "@partita/test-support/short-waits";
import { expect, test } from "vitest";
import {
  createTables,
  openStorage,
  SaveError,
  StorageError,
  TableContext,
  type TableStorage,
} from "@partita/core";
import { moveRows } from "../../src/index.ts";
import { keyOf, Post, PostByMonth } from "./feeds.ts";

shortWaits();

const histories = amountOf({ short: 4, full: 10, long: 500 });
const total = 40;

/** What is known of each post: counts of changes by either release; undefined for one that was removed. */
type Known = ({ old: number; new: number } | undefined)[];

interface History {
  readonly storage: TableStorage;
  readonly random: () => number;
  readonly known: Known;
  /** Posts that a program tried to remove. */
  readonly removed: Set<number>;
  isOver: boolean;
}

/** Whether a change is stored; another writer may come first. */
async function isSaved(context: TableContext): Promise<boolean> {
  try {
    await context.saveChanges();
    return true;
  } catch (error) {
    if (!(error instanceof SaveError) || error.conflicts.length === 0) throw error;
    return false;
  }
}

/** One release: changes, removes and adds posts by the keys that it knows. */
async function write(history: History, release: "old" | "new"): Promise<void> {
  const { storage, random, known } = history;
  const Class = release === "old" ? PostByMonth : Post;
  for (let tries = 0; !history.isOver && tries < 60; tries++) {
    await nextTurn();
    const context = new TableContext(storage);
    const n = Math.floor(random() * total);
    const post = await context.find<typeof PostByMonth>(Class as never, keyOf(n) as never);
    if (post === undefined) {
      expect(release === "old" || history.removed.has(n)).toBe(true);
      continue;
    }
    if (random() < 0.03) {
      history.removed.add(n);
      context.remove(post);
      if (await isSaved(context)) known[n] = undefined;
    } else {
      const before = post[release] ?? 0;
      post[release] = before + 1;
      const own = known[n];
      if (await isSaved(context)) (own as { old: number; new: number })[release] = before + 1;
    }
  }
}

/** A worker that loses responses, and perhaps dies at a request. */
async function work({ storage, random }: History, seed: number, dies: boolean): Promise<void> {
  const death = dies ? { request: 1 + Math.floor(random() * 60), isCarriedOut: random() < 0.5 } : undefined;
  const dead = new Error("dead");
  const counted = countedUntil(death, () => Promise.reject(dead));
  const flaky = withFaults(storage, randomFaults({ seed, rate: 0.05 }));
  try {
    await moveRows(countedStorage(flaky, counted), PostByMonth, Post, {
      concurrency: 2,
      claimTimeoutMs: 200,
    });
  } catch (error) {
    // A request may meet a fault in each of its tries: a later call resumes the job.
    if (error !== dead && !(error instanceof StorageError)) throw error;
  }
  await flaky.settle();
}

async function runHistory(seed: number): Promise<number> {
  const random = randomNumbers(seed);
  await using storage = await openStorage("memory:");
  await createTables(storage, [PostByMonth]);
  const filling = new TableContext(storage);
  for (let n = 0; n < total; n++) filling.create(PostByMonth, { ...keyOf(n), text: `post ${n}` });
  await filling.saveChanges();
  const known: Known = Array.from({ length: total }, () => ({ old: 0, new: 0 }));
  const history: History = { storage, random, known, removed: new Set(), isOver: false };
  const writers = [write(history, "old"), write(history, "new")];
  for (let round = 0; round < 3; round++)
    await Promise.all([work(history, seed + round, true), work(history, seed - round, random() < 0.5)]);
  history.isOver = true;
  await Promise.all(writers);
  const report = await moveRows(storage, PostByMonth, Post, { claimTimeoutMs: 200 });

  expect(report).toMatchObject({ leftCount: 0, isClean: true });
  const { entities } = await storage.query("Posts", {});
  expect(entities).toHaveLength(known.filter((each) => each !== undefined).length);
  const found = await new TableContext(storage).findMany(
    Post,
    Array.from({ length: total }, (_, n) => keyOf(n)),
  );
  expect(found.map((post) => post && { old: post.old ?? 0, new: post.new ?? 0 })).toEqual(known);
  return known.reduce((sum, each) => sum + (each?.old ?? 0) + (each?.new ?? 0), 0);
}

test(`${histories} histories of two releases and two workers that die lose no change`, async () => {
  let changes = 0;
  for (let seed = 1; seed <= histories; seed++) changes += await runHistory(seed);

  expect(changes).toBeGreaterThan(histories * 5);
}, 600_000);
