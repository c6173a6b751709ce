import { SaveError, StateError, StorageError, TableContext, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { actorStorage } from "./actor-storage.ts";
import { observeFor } from "../history/observe.ts";
import { ObservedContext } from "./observed-context.ts";
import { type Scope, scopes } from "./own-time.ts";
import { type Plan, randomFor } from "./plan.ts";
import { clockOfActor } from "./run-clocks.ts";
import type { RunRecord } from "./run-record.ts";
import type { ActorStep, ActorTools, Scenario, SimulatedRandom } from "../scenario.ts";
import type { Actor, Scheduler } from "./scheduler.ts";
import { Found } from "../simulation-error.ts";
import type { SimulationSettings } from "../simulate-options.ts";

/** The shared state of a run's workers. */
export interface Workplace {
  readonly scenario: Scenario;
  readonly settings: SimulationSettings;
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly record: RunRecord;
  readonly store: TableStorage;
}

/** One actor of a run. */
export class Worker implements Actor {
  readonly name: string;
  readonly scope: Scope;
  waiting = 0;
  state: Actor["state"] = "working";
  readonly #place: Workplace;
  readonly #kind: string;
  readonly #number: number;
  readonly #storage: TableStorage;
  /** Contexts that reported an unknown outcome. */
  readonly #inDoubt = new Set<ObservedContext>();
  #step = 0;
  #requests = 0;
  #requestsOfStep = 0;

  constructor(place: Workplace, kind: string, number: number) {
    const { scheduler, plan, settings, record } = place;
    this.#place = place;
    this.#kind = kind;
    this.#number = number;
    this.name = `${kind} ${number}`;
    const clock = clockOfActor(scheduler, plan.seed, this.name, settings.clock);
    if (clock.skew !== 0) record.clocks.push({ at: 0, actor: this.name, by: clock.skew });
    if (clock.jump !== undefined)
      record.clocks.push({ at: clock.jump.at, actor: this.name, by: clock.jump.ms });
    this.scope = {
      random: randomFor(plan.seed, `own ${this.name}`),
      now: clock.now,
      elapsed: () => scheduler.now,
      wait: (ms, signal) => scheduler.wait(this, ms, signal),
    };
    this.#storage = this.#openStorage();
  }

  get #clock(): Clock {
    const { now, elapsed, wait } = this.scope;
    return { now, monotonic: elapsed, wait };
  }

  get isInDoubt(): boolean {
    return this.state === "ended" && this.#inDoubt.size > 0;
  }

  /** Stores the initial data. Nothing fails here. */
  async setUp(setup: NonNullable<Scenario["setup"]>): Promise<void> {
    const context = new TableContext(this.#storage, this.#contextOptions());
    await setup(context);
    await context.saveChanges();
  }

  /** Runs all steps in order. @throws Found for an error that no fault explains */
  async work(): Promise<void> {
    const { scenario, plan, settings, record } = this.#place;
    const step = scenario.actors[this.#kind] as ActorStep;
    for (let number = 1; number <= settings.steps; number++) {
      if (!plan.runsStep(this.name, number)) {
        record.isComplete = false;
        continue;
      }
      [this.#step, this.#requestsOfStep] = [number, 0];
      // Each step has its own random numbers, so skipping one does not change others.
      const random = randomFor(plan.seed, `own ${this.name}/${number}`);
      await scopes.run({ ...this.scope, random }, () => this.#doStep(step));
    }
  }

  /** Faults have stopped: resolve all changes in doubt. */
  async resolve(): Promise<void> {
    [this.#step, this.#requestsOfStep] = [0, 0];
    for (const context of this.#inDoubt) {
      try {
        const left = await context.resolveAtEnd();
        this.#place.record.stuck.push(...left.map(({ subject, operation }) => `${operation} of ${subject}`));
      } catch (error) {
        // A context that its actor closed has nothing to resolve.
        if (!StateError.is(error)) throw error;
      }
    }
  }

  async #doStep(step: ActorStep): Promise<void> {
    try {
      await step(this.#tools());
    } catch (error) {
      if (!(SaveError.is(error) || StorageError.is(error))) throw Found.inActor(this.name, error);
      const { now: at, order } = this.#place.scheduler;
      this.#place.record.failedSteps.push({ order, at, actor: this.name, step: this.#step, error });
    }
  }

  #tools(): ActorTools {
    const { name } = this;
    const { plan, scheduler, record } = this.#place;
    const step = this.#step;
    const openContext: ActorTools["openContext"] = (options) => this.#openContext(options);
    return {
      name,
      number: this.#number,
      step,
      context: openContext(),
      openContext,
      storage: this.#storage,
      clock: this.#clock,
      random: choicesOf(randomFor(plan.seed, `choices ${name}/${step}`)),
      observe: observeFor({
        actor: name,
        step,
        mark: scheduler.mark,
        now: () => scheduler.now,
        observations: record.observations,
      }),
    };
  }

  #contextOptions(): ConstructorParameters<typeof TableContext>[1] {
    return { ...this.#place.scenario.context, clock: this.#clock };
  }

  #openContext(options: Parameters<ActorTools["openContext"]>[0]): TableContext {
    const { record, scheduler } = this.#place;
    const [context, actor] = [record.nextContext(), this.name];
    const opened: ObservedContext = new ObservedContext(
      this.#storage,
      { ...this.#contextOptions(), ...options },
      {
        nextEntity: record.nextEntity,
        startSave: (options) => record.startSave({ actor, step: this.#step, context, options }),
        collect: (reported) => {
          const { now: at, order } = scheduler;
          record.results.push({ order, at, actor, step: this.#step, context, ...reported });
          if (reported.result.outcome === "unknown") this.#inDoubt.add(opened);
        },
      },
    );
    return opened;
  }

  #openStorage(): TableStorage {
    const { store, scheduler, plan, record } = this.#place;
    return actorStorage({
      actor: this,
      store,
      scheduler,
      plan,
      entries: record.entries,
      step: () => this.#step,
      count: () => this.#count(),
      executed: record.executed,
    });
  }

  /** Counts a request. @returns its number in the step; undefined if the plan stops the actor */
  #count(): number | undefined {
    const { plan, record, scheduler } = this.#place;
    if (this.#step > 0) {
      const limit = plan.requestsBeforeStop(this.name);
      if (limit !== undefined && this.#requests >= limit) {
        record.stops.set(this.name, limit);
        record.isComplete = false;
        scheduler.stop(this);
        return undefined;
      }
      this.#requests++;
    }
    return ++this.#requestsOfStep;
  }
}

function choicesOf(random: () => number): SimulatedRandom {
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    oneOf: <Value>(list: readonly Value[]) => list[below(list.length)] as Value,
  };
}
