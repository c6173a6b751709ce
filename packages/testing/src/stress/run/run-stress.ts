import { type EntityClass, TableContext, type TableStorage } from "@partita/core";
import { Semaphore } from "@partita/core/internal";
import { composeKey, modelOf } from "@partita/core/models";
import { entitiesOfMix, mixOf } from "./mix.ts";
import { PartitionLoad } from "./partition-load.ts";
import { reportOf } from "../plots/report-of.ts";
import { closerRate, closerSteps, firstRates, sustainedOf } from "./rates.ts";
import { runStep } from "./run-step.ts";
import { StressError } from "../stress-error.ts";
import type { StressSettings } from "../stress-options.ts";
import type { StressFigures, StressReport, StressStep } from "../stress-report.ts";
import { meansOf, type PlannedStep, summarizeStep } from "./summarize-step.ts";
import { createTestTables } from "./test-tables.ts";
import { workDue, type WorkRecord } from "./work-record.ts";

/** Implements `stressPartition`. */
export async function runStress(
  storage: TableStorage,
  entityClass: EntityClass,
  settings: StressSettings,
): Promise<StressReport> {
  const { clock, concurrency, partition, setup, signal, target } = settings;
  signal?.throwIfAborted();
  const { name, table, partitionKey: template } = modelOf(entityClass);
  const partitionKey = composeKey(template, partition, name);
  const tables = await createTestTables(storage, entityClass, clock, signal);
  const stop = new AbortController();
  const own = {
    storage: tables.storage,
    partitionKey,
    requests: new Semaphore(concurrency),
    signal: stop.signal,
  };
  try {
    if (setup !== undefined) await prepare(tables.storage, settings, setup);
    const load = new PartitionLoad(own, settings);
    const steps = await runSteps(load, settings, await measureMeans(load, settings, partitionKey));
    const sustained = sustainedOf(steps);
    const figures: StressFigures = {
      storage: storage.description,
      entity: name,
      table,
      partitionKey,
      concurrency,
      steps,
      sustained,
      servedThere: steps.find(({ rate, isSustained }) => isSustained && rate === sustained)?.served ?? 0,
      mostServed: Math.max(...steps.map(({ served }) => served)),
      ...(target !== undefined && { target, isMet: sustained >= target }),
    };
    return reportOf(figures);
  } finally {
    stop.abort();
    await tables.remove();
  }
}

async function prepare(
  storage: TableStorage,
  { clock, signal }: StressSettings,
  setup: (context: TableContext) => unknown,
): Promise<void> {
  const context = new TableContext(storage, { clock });
  await setup(context);
  if (context.pendingChanges().length > 0) await context.saveChanges({ signal });
  signal?.throwIfAborted();
}

/** Number of calls of each load to measure its entities. */
const callsBefore = 3;

/**
 * The average entities per call of each load, from a few calls.
 *
 * @throws StressError for a load that fails, uses another partition, or reads and writes nothing that counts
 */
async function measureMeans(
  load: PartitionLoad,
  { load: loads, signal }: StressSettings,
  partitionKey: string,
): Promise<readonly number[]> {
  const records: WorkRecord[] = [];
  for (const index of loads.keys())
    for (let i = 0; i < callsBefore; i++) {
      signal?.throwIfAborted();
      const record = workDue(index, 0);
      await load.run(record).catch((error: unknown) => {
        throw StressError.load(index, error);
      });
      if (record.otherKey !== undefined) throw StressError.partition(index, partitionKey, record.otherKey);
      records.push(record);
    }
  const means = meansOf(
    records,
    loads.map(() => 0),
  );
  if (means.every((mean) => mean === 0)) throw StressError.noEntities(partitionKey);
  return means;
}

/** Responses still count if they are late by at most this share of a step. */
const graceShare = 0.05;

async function runSteps(
  load: PartitionLoad,
  settings: StressSettings,
  meansBefore: readonly number[],
): Promise<readonly StressStep[]> {
  const { load: loads, rate, target, clock, signal, onProgress } = settings;
  const shares = loads.map(({ share }) => share);
  const nextLoad = mixOf(shares);
  const waiting = [...firstRates(rate, target)];
  const first = waiting.length;
  const total = first + closerSteps;
  const seconds = settings.seconds / total / (1 + graceShare);
  const graceMs = seconds * graceShare * 1000;
  const steps: StressStep[] = [];
  let means = meansBefore;
  let next = waiting.shift();
  onProgress({ done: 0, total, ...(next !== undefined && { next }) });
  while (next !== undefined) {
    const planned: PlannedStep = { rate: next, seconds, graceMs, means };
    const callsPerSecond = next / entitiesOfMix(shares, means);
    const records = await runStep({
      callsPerSecond,
      seconds,
      graceMs,
      clock,
      signal,
      nextLoad,
      begin: (record, sinceBegin) => load.begin(record, sinceBegin),
    });
    const step = summarizeStep(records, planned);
    steps.push(step);
    // The queries of the next step may find the added rows.
    means = meansOf(records, means);
    next = waiting.shift() ?? (steps.length < total ? closerRate(steps) : undefined);
    onProgress({ done: steps.length, total, step, ...(next !== undefined && { next }) });
  }
  return steps;
}
