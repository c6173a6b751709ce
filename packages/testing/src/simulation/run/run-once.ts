import { createTables, openStorage, TableContext, type TableStorage } from "@partita/core";
import type { Fault } from "../../faults/fault.ts";
import { type CheckOfRun, findingOf, namedCheck, type SimulatedRun } from "../checks/simulation-check.ts";
import type { Journal } from "../history/journal.ts";
import type { Plan } from "./plan.ts";
import { clockOfStore } from "./run-clocks.ts";
import { RunRecord } from "./run-record.ts";
import type { Scenario } from "../scenario.ts";
import { Scheduler } from "./scheduler.ts";
import { Found, SimulationError, type Violation } from "../simulation-error.ts";
import type { SimulationSettings } from "../simulate-options.ts";
import { Worker, type Workplace } from "./worker.ts";

/** The result of one run. */
export interface RunResult {
  readonly journal: Journal;
  readonly violation: Violation | undefined;
  /** The cause of a violation. */
  readonly cause: unknown;
  /** IDs of events in order. */
  readonly schedule: readonly string[];
  readonly faults: ReadonlyMap<string, Fault>;
  readonly stops: ReadonlyMap<string, number>;
}

/** Runs a scenario once, according to a plan. @param number - different for each run of a simulation */
export async function runOnce(
  scenario: Scenario,
  settings: SimulationSettings,
  plan: Plan,
  number: number,
): Promise<RunResult> {
  const record = new RunRecord();
  const scheduler = new Scheduler();
  const store = await openStore(scenario, scheduler, settings, { seed: plan.seed, run: number });
  let found: Found | undefined;
  try {
    await play({ scenario, settings, plan, scheduler, record, store });
  } catch (error) {
    if (!Found.is(error)) throw error;
    found = error;
  } finally {
    await store.close();
  }
  const { journal, schedule, faults, stops } = record;
  return { journal, violation: found?.violation, cause: found?.cause, schedule, faults, stops };
}

/** @throws SimulationError `simulation.storage` */
async function openStore(
  { classes }: Scenario,
  scheduler: Scheduler,
  { storage, clock }: SimulationSettings,
  run: { readonly seed: number; readonly run: number },
): Promise<TableStorage> {
  const own = clockOfStore(scheduler, clock.start);
  try {
    const store = await (storage?.({ ...run, clock: own }) ?? openStorage("memory:", { clock: own }));
    await createTables(store, classes);
    return store;
  } catch (error) {
    throw SimulationError.storage(error);
  }
}

/** Runs setup and actors, resolves changes in doubt, and calls the checks. @throws Found */
async function play(place: Workplace): Promise<void> {
  const { scenario, settings, plan, scheduler, record } = place;
  const { setup } = scenario;
  if (setup !== undefined) {
    const actor = new Worker(place, "setup", 1);
    await scheduler.run([{ actor, work: () => actor.setUp(setup) }], async () => undefined);
  }
  record.clear();
  scheduler.follow(plan, record.schedule);
  const checks = beginChecks(place);
  await checks.ask(({ afterSetup }) => afterSetup?.());
  const afterEach = async (): Promise<void> => {
    for (const entry of record.takeApplied()) await checks.ask(({ afterWrite }) => afterWrite?.(entry));
  };
  const workers = [...settings.actors].flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, i) => new Worker(place, kind, i + 1)),
  );
  await scheduler.run(
    workers.map((actor) => ({ actor, work: () => actor.work() })),
    afterEach,
  );
  const inDoubt = workers.filter(({ isInDoubt }) => isInDoubt);
  await scheduler.run(
    inDoubt.map((actor) => ({ actor, work: () => actor.resolve() })),
    afterEach,
  );
  await scheduler.drain(afterEach);
  await checks.ask(({ atEnd }) => atEnd?.());
}

interface Checks {
  /** @throws Found */
  ask(question: (check: CheckOfRun) => ReturnType<NonNullable<CheckOfRun["atEnd"]>>): Promise<void>;
}

function beginChecks({ scenario, plan, record, store }: Workplace): Checks {
  const run: SimulatedRun = {
    seed: plan.seed,
    journal: record.journal,
    storage: store,
    // It only reads, and is not observed.
    openContext: () =>
      new TableContext(store, {
        ...scenario.context,
        upgrade: "memory",
        hooks: undefined,
        requestBudget: undefined,
      }),
    get isComplete() {
      return record.isComplete;
    },
    stuck: record.stuck,
  };
  const begun = [scenario.check].flat().map((each) => {
    const named = namedCheck(each);
    return { name: named.name, check: named.begin(run) };
  });
  return {
    async ask(question) {
      for (const { name, check } of begun) {
        const finding = await findingOf(() => question(check));
        if (finding !== undefined) throw new Found({ check: name, message: finding.message }, finding.cause);
      }
    },
  };
}
