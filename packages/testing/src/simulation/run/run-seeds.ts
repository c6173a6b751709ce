import { ownTime } from "./own-time.ts";
import { type Plan, planOfSeed } from "./plan.ts";
import { printHistory } from "../history/print-history.ts";
import { type RunResult, runOnce } from "./run-once.ts";
import type { Scenario } from "../scenario.ts";
import { type FailedRun, shrink, writtenPlan } from "./shrink.ts";
import { SimulationError } from "../simulation-error.ts";
import type { SimulationReport } from "../simulation-report.ts";
import type { SimulationSettings } from "../simulate-options.ts";

type OpenReport = { -readonly [Name in keyof SimulationReport]: SimulationReport[Name] };

/** Runs a scenario once per seed, until a check finds a problem. @throws SimulationError */
export async function runSeeds(scenario: Scenario, settings: SimulationSettings): Promise<SimulationReport> {
  const { seeds, signal, onProgress, faults } = settings;
  const report: OpenReport = {
    runs: 0,
    requests: 0,
    faults: 0,
    lateArrivals: 0,
    committed: 0,
    rejected: 0,
    unknown: 0,
    unknownAtEnd: 0,
  };
  const end = ownTime();
  let number = 0;
  const run = (plan: Plan): Promise<RunResult> => runOnce(scenario, settings, plan, ++number);
  try {
    for (const [i, seed] of seeds.entries()) {
      signal?.throwIfAborted();
      const result = await run(planOfSeed(seed, faults));
      if (result.violation !== undefined) await refuse(settings, seed, result, run, i);
      count(report, result);
      onProgress?.({ seed, done: i + 1, total: seeds.length, isShrinking: false });
    }
    return report;
  } finally {
    end();
  }
}

function count(report: OpenReport, { journal, faults }: RunResult): void {
  report.runs++;
  report.requests += journal.entries.length;
  report.faults += faults.size;
  report.lateArrivals += journal.entries.filter(({ executed, responded }) => executed > responded).length;
  for (const { result, isLast } of journal.results) {
    if (isLast && result.outcome === "unknown") report.unknownAtEnd++;
    if (!isLast) report[result.outcome]++;
  }
}

/** @throws SimulationError */
async function refuse(
  { actors, steps, maxShrinks, signal, onProgress, seeds }: SimulationSettings,
  seed: number,
  result: RunResult,
  run: (plan: Plan) => Promise<RunResult>,
  done: number,
): Promise<never> {
  const first: FailedRun = { plan: writtenPlan(seed, result), result };
  const cast = {
    actors: [...actors].flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, i) => `${kind} ${i + 1}`),
    ),
    steps,
  };
  const runAgain = async (plan: Plan): Promise<RunResult> => {
    signal?.throwIfAborted();
    const again = await run(plan);
    onProgress?.({ seed, done, total: seeds.length, isShrinking: true });
    return again;
  };
  const { run: shortest, runs } = await shrink(first, cast, runAgain, maxShrinks);
  const { journal, violation, cause } = shortest.result;
  if (violation === undefined) throw new Error("A history was shrunk to one without a violation.");
  throw SimulationError.violation({ seed, violation, history: printHistory(journal), shrinks: runs }, cause);
}
