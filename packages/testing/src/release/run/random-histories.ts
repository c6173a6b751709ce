// Random histories with `simulate`: each release is an actor, their requests are interleaved, and the store's writes
// are compared with the values that both see.

import { openStorage } from "@partita/core";
import { SimulationError } from "../../simulation/simulation-error.ts";
import { type ActorStep, type Scenario, scenario } from "../../simulation/scenario.ts";
import { simulate } from "../../simulation/simulate.ts";
import type { SimulatedStore } from "../../simulation/simulate-options.ts";
import type { NamedCheck } from "../../simulation/checks/simulation-check.ts";
import type { ReleaseAct, ReleaseName } from "../release-report.ts";
import type { Baselines } from "./baselines.ts";
import { chooseAct } from "./choose-act.ts";
import type { Findings, Found } from "./findings.ts";
import { History } from "./history.ts";
import { type Classes, contextOptions, openLab } from "./lab.ts";
import type { PairSetting } from "./pair-setting.ts";
import { perform } from "./perform.ts";
import { noteRefusal } from "./run-orders.ts";
import type { CheckReleaseOptions } from "../check-release-options.ts";

/** A class to run, with its known data. */
export interface RandomPair {
  readonly setting: PairSetting;
  readonly baselines: Baselines;
}

/** The data for random histories. */
export interface RandomRun {
  readonly classes: Classes;
  readonly pairs: readonly RandomPair[];
  readonly findings: Findings;
  readonly seed: number;
  readonly histories: number;
  readonly storage: CheckReleaseOptions["storage"];
  readonly signal: AbortSignal | undefined;
}

/** Number of steps of each release in a history. */
const steps = 4;

/** Maximum number of runs to shorten a history. */
const maxShrinks = 200;

/** Runs this many seeds. A finding is shortened, and later seeds look for others. */
export async function runRandom(run: RandomRun): Promise<number> {
  const { seed, histories, classes, storage, signal } = run;
  if (run.pairs.length === 0) return 0;
  const seeds = Array.from({ length: histories }, (_, i) => seed * 1_000_003 + i);
  // Known findings need no random history, since it would not be shorter.
  const known = new Set(run.findings.list().map(idOf));
  const open = (store: SimulatedStore) =>
    openLab(classes, () => storage?.(store) ?? openStorage("memory:", { clock: store.clock }));
  for (let next = 0; next < seeds.length;) {
    const releases = scenarioOf(run, known);
    try {
      await simulate(releases.scenario, {
        seeds: seeds.slice(next),
        actors: 1,
        steps,
        maxShrinks,
        storage: open,
        signal,
      });
      return histories;
    } catch (error) {
      if (!SimulationError.is(error) || error.seed === undefined || releases.found.size === 0) throw error;
      for (const id of releases.found) known.add(id);
      next = seeds.indexOf(error.seed);
    }
  }
  return histories;
}

interface ReleaseScenario {
  readonly scenario: Scenario<ReleaseName>;
  /** The findings that ended its runs. */
  readonly found: ReadonlySet<string>;
}

function scenarioOf({ pairs, findings, classes }: RandomRun, known: ReadonlySet<string>): ReleaseScenario {
  const found = new Set<string>();
  let histories: readonly History[] = [];
  /** The pending write of each actor. */
  const pending = new Map<string, { readonly history: History; readonly act: ReleaseAct }>();
  const actor =
    (release: ReleaseName): ActorStep =>
    async ({ name, openContext, random }) => {
      const history = random.oneOf(histories);
      const { setting } = history;
      const row = 1 + random.below(Math.min(2, setting.rows.length));
      const kinds = history.isStored(row)
        ? (["changes", "changes", "replaces", "removes"] as const)
        : (["inserts"] as const);
      const act = chooseAct(setting, { release, act: random.oneOf(kinds) }, row, random);
      pending.set(name, { history, act });
      const written = await perform(setting, act, openContext());
      if (typeof written === "object") noteRefusal(history, act, written.code, findings);
    };
  const check: NamedCheck = {
    name: "both releases",
    begin(run) {
      histories = pairs.map(({ setting, baselines }) => new History(setting, baselines));
      return {
        async afterWrite({ actor: name }) {
          const written = pending.get(name);
          if (written === undefined) return undefined;
          written.history.note(written.act);
          return sentenceOf(written.history, await written.history.check(run.openContext));
        },
      };
    },
  };
  const sentenceOf = (history: History, list: readonly Found[]): string | undefined => {
    for (const each of list) findings.add(each, history.acts);
    const isNew = list.filter((each) => !known.has(idOf(each)));
    for (const each of isNew) found.add(idOf(each));
    return isNew.length === 0 ? undefined : isNew.map(({ status }) => status).join(", ");
  };
  return {
    scenario: scenario({
      classes: classes.old,
      actors: { old: actor("old"), new: actor("new") },
      check,
      context: contextOptions,
    }),
    found,
  };
}

const idOf = ({ entity, property, index, reader }: Found): string =>
  [entity, property, index, reader].join("\n");
