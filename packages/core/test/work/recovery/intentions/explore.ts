import { Client } from "./client.ts";
import { requestSteps } from "./requests.ts";
import { conclude, isConditional, judge, maySend } from "./rules.ts";
import type { Scenario } from "./scenarios.ts";
import type { Notes } from "./notes.ts";
import { type Budget, copyState, type Entity, type Rules, type State } from "./state.ts";
import { endMinute, ours, type Step, worldSteps } from "./store.ts";
import { userSteps } from "./user.ts";
import { rulesOf, type Weakness } from "./weaker-rules.ts";

/*
 * Explores all histories of a scenario, breadth-first: every order of requests, faults, time, other writers and acts of the
 * user. So the history of a violation is one of the shortest. The laws:
 *
 * 1. Committed: an attempt of that intention was applied; by content: or an equal value is there.
 * 2. Rejected: none was applied, and none is later.
 * 3. Of an atomic group, one member is never applied without the others, unless the user edited or discarded.
 * 4. With markers nothing is applied twice, and nothing is unknown after a `resolve` that reached the storage. A doubt that
 *    outlived its marker is excepted: it is told as unknown, and final, before anything of it is sent again.
 * 5. Without faults from now on, three saves end everything, and a new edit can be saved.
 * 6. With nothing in doubt, a save is one request.
 * 7. Unknown is told only of what was in doubt.
 * 8. A newer write of ours that a delayed upsert overwrote is pending again, under the version that was known.
 */

interface Violation {
  readonly law: string;
  readonly history: readonly string[];
}

export interface Explored {
  readonly states: number;
  /** Whether the limit ended the exploration. */
  readonly isCut: boolean;
  readonly violations: readonly Violation[];
  /** How often each outcome was told. */
  readonly outcomes: Readonly<Record<string, number>>;
}

export interface ExploreOptions {
  readonly limit?: number;
  readonly weak?: Weakness;
  /** Ends at the first violation of a law with this beginning. */
  readonly until?: string;
}

/** A state, and the position of its history's last step. */
type Reached = readonly [State, number];

export function explore(
  scenario: Scenario,
  { limit = Infinity, weak, until }: ExploreOptions = {},
): Explored {
  const rules: Rules = rulesOf({ judge, conclude, maySend }, weak);
  const notes: Notes = { scenario, weak, rules, isCalm: false, violations: [], reported: [] };
  const first = initialState(scenario);
  const seen = new Set([hashOf(first)]);
  const steps: (readonly [number, string])[] = [[-1, "start"]];
  const found = new Map<string, readonly string[]>();
  const outcomes: Record<string, number> = {};
  let level: Reached[] = [[first, 0]];
  const isEnough = (): boolean =>
    seen.size > limit || (until !== undefined && [...found.keys()].some((law) => law.startsWith(until)));

  const historyOf = (at: number, last: string): string[] => {
    const history = [last];
    for (let i = at; i > 0; i = steps[i]![0]) history.unshift(steps[i]![1]);
    return history;
  };
  const report = (laws: readonly string[], at: number, last: string): void => {
    for (const law of laws) if (!found.has(law)) found.set(law, historyOf(at, last));
  };

  while (level.length > 0 && !isEnough()) {
    const next: Reached[] = [];
    for (const [state, at] of level) {
      for (const [label, after] of stepsOf(state, notes)) {
        const text = [
          label,
          ...notes.reported.map(
            ({ intention, outcome, evidence }) => `=> ${intention + 1} ${outcome} ${evidence}`,
          ),
        ].join(" ");
        report([...notes.violations, ...unknownAfterResolve(state, after, label, notes)], at, text);
        for (const one of notes.reported) {
          const key = outcomeName(one);
          outcomes[key] = (outcomes[key] ?? 0) + 1;
        }
        notes.violations = [];
        notes.reported = [];
        const hash = hashOf(after);
        if (seen.has(hash)) continue;
        seen.add(hash);
        const reached = steps.push([at, text]) - 1;
        if (isIdle(after)) {
          const stuck = endWithoutFaults(after, notes);
          if (stuck !== undefined) report([stuck], reached, "(from here on no faults)");
        }
        next.push([after, reached]);
      }
      if (isEnough()) break;
    }
    level = next;
  }
  const violations = [...found].map(([law, history]) => ({ law, history }));
  return { states: seen.size, isCut: level.length > 0, violations, outcomes };
}

const outcomeName = ({ outcome, evidence, isFinal }: Notes["reported"][number]): string =>
  outcome +
  (evidence === "content" || evidence === "gone" ? ` ${evidence}` : "") +
  (outcome === "unknown" && !isFinal ? " for now" : "");

function* stepsOf(state: State, notes: Notes): Generator<Step> {
  if (!notes.isCalm) yield* worldSteps(state, notes);
  for (const [at, { position }] of state.contexts.entries()) {
    if (position.at !== "idle") yield* requestSteps(state, at, notes);
    else if (!notes.isCalm) yield* userSteps(state, at, notes);
  }
}

const isIdle = ({ contexts }: State): boolean => contexts.every(({ position }) => position.at === "idle");

/** Law 4: with markers nothing is unknown after a `resolve` that reached the storage. */
function unknownAfterResolve(
  before: State,
  after: State,
  label: string,
  { scenario, reported }: Notes,
): string[] {
  if (scenario.proof !== "marker" || before.aged.includes(true) || label.includes("lost")) return [];
  const hasEnded = before.contexts.some(
    ({ position }, i) =>
      position.at === "close" && position.why === "resolve" && after.contexts[i]!.position.at === "idle",
  );
  return hasEnded && reported.some(({ outcome }) => outcome === "unknown")
    ? ["4: unknown after resolve"]
    : [];
}

/** Laws 5 and 8: without faults from now on, three saves end everything, and a new edit can be saved. */
function endWithoutFaults(from: State, explored: Notes): string | undefined {
  const notes: Notes = { ...explored, isCalm: true, violations: [], reported: [] };
  let state = copyState(from);
  // Markers end a doubt without waiting.
  if (notes.scenario.proof === "content") endMinute(state);
  const save = (at: number): string | undefined => {
    new Client(state, at, notes).startSave();
    for (let n = 0; n < 60 && !isIdle(state); n++) {
      state.left.attempts = 9;
      const next = stepsOf(state, notes).next().value as Step | undefined;
      if (next === undefined) return "5: a save does not end";
      state = next[1];
    }
    return notes.violations[0] ?? (isIdle(state) ? undefined : "5: a save does not end");
  };
  for (const at of state.contexts.keys()) {
    for (let n = 0; n < 3; n++) {
      const wrong = save(at);
      if (wrong !== undefined) return wrong;
    }
    for (const i of new Client(state, at, notes).wanted()) {
      const { reported, wasRejected, isFinal } = state.intentions[i]!;
      if (reported !== "committed" && !wasRejected && !(reported === "unknown" && isFinal))
        return `5: no final outcome, but ${reported}`;
    }
    const lost = overwritten(state, at);
    if (lost !== undefined) return lost;
  }
  for (const at of state.contexts.keys())
    for (const [row, entity] of state.contexts[at]!.entities.entries()) {
      if (entity.isDetached) continue;
      const edit = reloadAndEdit(new Client(state, at, notes), row);
      const wrong = save(at);
      if (wrong !== undefined) return `${wrong} (new edit)`;
      if (state.intentions[edit]!.reported !== "committed")
        return `5: a new edit is not saved: ${state.intentions[edit]!.reported}`;
    }
  return undefined;
}

/**
 * Law 8: a newer write of ours that a delayed upsert overwrote, and that the context takes for stored. When it notices, it
 * intends the write anew.
 */
function overwritten(
  { contexts, rows, writers, attempts, intentions }: State,
  at: number,
): string | undefined {
  for (const [i, { wants }] of contexts[at]!.entities.entries()) {
    const row = rows[i];
    const writer = row && attempts[writers[row.etag] ?? -1];
    if (wants >= 0 || writer?.context !== at) continue;
    const isDelayed = writer.operations.some(
      (one) => one.row === i && one.type !== "insert" && !isConditional(one),
    );
    const own = [...intentions.keys()].filter(
      (j) => intentions[j]!.context === at && intentions[j]!.changes.some((one) => one.row === i),
    );
    const latest = own.at(-1)!;
    const { reported, timesApplied, changes } = intentions[latest]!;
    const isNewer = latest > Math.max(...writer.intentions) && reported === "committed" && timesApplied > 0;
    const isLost = changes.some(
      (one) => one.row === i && (one.type === "delete" || one.value !== row?.value),
    );
    if (isDelayed && isNewer && isLost) return "8: a delayed upsert overwrote a newer write, unnoticed";
  }
  return undefined;
}

/** The user gives up what is left, reads the row and edits it. */
function reloadAndEdit(client: Client, row: number): number {
  const { state, context } = client;
  for (const entity of context.entities) entity.wants = -1;
  if (state.rows[row] !== undefined) client.learn(row, state.rows[row]);
  else Object.assign(context.entities[row]!, { etag: undefined, isUpsert: false });
  context.ended = context.ended.filter((i) => !client.changesOf(i).some((one) => one.row === row));
  state.mayGoApart = true;
  return client.intend([{ type: "put", row, value: 7 }]);
}

const budget: Budget = {
  saves: 2,
  resolves: 1,
  others: 2,
  attempts: 3,
  minutes: 1,
  hours: 0,
  faults: 3,
  edits: 0,
  removals: 0,
  discards: 0,
  queries: 0,
  worker: 0,
};

function initialState(scenario: Scenario): State {
  const rows = scenario.rows.map((value, i) =>
    value === undefined ? undefined : { etag: String(i + 1), value, other: 0 },
  );
  const entities = rows.map((row): Entity => ({
    etag: undefined,
    value: row?.value ?? 0,
    other: 0,
    wants: -1,
    isDetached: false,
    isUpsert: false,
    refusedEtag: undefined,
  }));
  const wants = [scenario.wants, ...(scenario.moreContexts ?? [])];
  const state: State = {
    rows,
    nextEtag: 10,
    markers: [],
    expired: [],
    aged: [],
    nextMarker: 0,
    closings: [],
    attempts: [],
    intentions: [],
    contexts: wants.map(() => ({
      entities: entities.map((entity) => ({ ...entity })),
      ended: [],
      saves: 0,
      requests: 0,
      hadNoDoubt: true,
      hadFault: false,
      position: { at: "idle" },
    })),
    left: { ...budget, ...scenario.left },
    mayGoApart: false,
    isGroupStored: false,
    writers: {},
  };
  const notes = { scenario } as Notes;
  for (const [at, intentions] of wants.entries()) track(new Client(state, at, notes), intentions, scenario);
  return state;
}

function track(client: Client, intentions: Scenario["wants"], { anyVersion }: Scenario): void {
  for (const changes of intentions) {
    client.intend(changes.map(([type, row]) => ({ type, row, value: ours + 2 * client.at })));
    for (const [type, at] of changes) {
      const entity = client.context.entities[at]!;
      const row = client.state.rows[at];
      if (anyVersion) entity.etag = "*";
      else if (type === "upsert") entity.isUpsert = true;
      else if (row !== undefined) client.learn(at, row);
    }
  }
}

/** 53 bits: among a million states, two share theirs once in ten thousand explorations. */
function hashOf(state: State): number {
  const text = JSON.stringify(state);
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return (a >>> 0) * 0x200000 + ((b >>> 0) & 0x1fffff);
}
