import { isConditional, isUnjudged } from "./rules.ts";
import type { Notes } from "./notes.ts";
import { copyState, type RowOperation, type State } from "./state.ts";

/** A step: its name in a history, and the state after it. */
export type Step = readonly [string, State];

/** Makes one step on a copy. */
export const step = (state: State, label: string, change: (next: State) => void): Step => {
  const next = copyState(state);
  change(next);
  return [label, next];
};

export type Refusal = { readonly reason: "exists" | "missing" | "etag"; readonly at: number | "marker" };

/** A value of ours, and the one that the user edits it to. */
export const [ours, edited] = [1, 2];
const theirs = 9;

/** Applies a request as one transaction, or says why it is refused; and checks the laws about what is applied. */
export function applyAttempt(state: State, index: number, notes: Notes): Refusal | undefined {
  const attempt = state.attempts[index]!;
  const { marker, operations } = attempt;
  if (marker !== undefined && state.markers[marker] !== undefined) return { reason: "exists", at: "marker" };
  const refused = operations.map((one) => refusalOf(state, one)).find((one) => one !== undefined);
  if (refused !== undefined) return refused;
  for (const { row, type, value, other } of operations) {
    if (type === "delete") state.rows[row] = undefined;
    else {
      const etag = String(state.nextEtag++);
      const before = state.rows[row];
      state.rows[row] = { etag, value, other: type === "merge" && before ? before.other : other };
      if (notes.scenario.watchesWriters) state.writers[etag] = index;
    }
  }
  if (marker !== undefined) state.markers[marker] = "written";
  checkApplied(state, attempt, notes);
  return undefined;
}

function refusalOf(state: State, { row: at, type, etag }: RowOperation): Refusal | undefined {
  const row = state.rows[at];
  if (type === "insert") return row && { reason: "exists", at };
  if (type === "upsert") return undefined;
  if (row === undefined) return { reason: "missing", at };
  return etag !== "*" && row.etag !== etag ? { reason: "etag", at } : undefined;
}

function checkApplied(
  state: State,
  { intentions, operations }: State["attempts"][number],
  notes: Notes,
): void {
  const { scenario, violations } = notes;
  for (const i of intentions) {
    const intention = state.intentions[i]!;
    intention.timesApplied++;
    if (state.intentions.some(({ origin, wasRejected }) => origin === intention.origin && wasRejected))
      violations.push("2: told rejected, applied later");
    // A doubt that outlived its marker is told as unknown: who saves again asks for it again.
    const isExact = scenario.proof === "marker" && !state.aged.includes(true);
    if (isExact && intention.timesApplied > 1) violations.push("4: applied twice");
    if (scenario.proof === "marker" && intention.timesApplied > 1 && intention.reported === undefined)
      violations.push("4: applied twice by one save");
  }
  if (!scenario.isAtomic || state.mayGoApart) return;
  if (new Set(operations.map(({ row }) => row)).size === state.rows.length) state.isGroupStored = true;
  else if (!state.isGroupStored)
    violations.push("3: one member of an atomic group applied without the other");
}

/** The network, the time, the workers and other writers. */
export function* worldSteps(state: State, notes: Notes): Generator<Step> {
  for (const [i, { isOnTheWay, operations }] of state.attempts.entries())
    if (isOnTheWay)
      yield step(state, `the request ${operations.map(operationText).join(" + ")} arrives`, (next) => {
        next.attempts[i]!.isOnTheWay = false;
        applyAttempt(next, i, notes);
      });
  for (const [i, { isOnTheWay, marker }] of state.closings.entries())
    if (isOnTheWay)
      yield step(state, "a late closing arrives", (next) => {
        next.closings[i]!.isOnTheWay = false;
        next.markers[marker] ??= "closed";
      });
  if (state.left.minutes > 0 && state.attempts.some((one) => one.state === "open"))
    yield step(state, "the minute ends", (next) => {
      next.left.minutes--;
      endMinute(next);
    });
  yield* markerSteps(state, notes);
  if (state.left.others > 0) yield* otherWriters(state);
}

/** What can be sent was sent more than a minute ago: nothing of it arrives any more. */
export function endMinute(state: State): void {
  for (const attempt of state.attempts) {
    attempt.isOnTheWay = false;
    if (attempt.state === "open") attempt.state = "over";
  }
  for (const closing of state.closings) closing.isOnTheWay = false;
}

/** Markers grow old and are swept; the worker of an outbox handles a message, or closes its place. */
function* markerSteps(state: State, { scenario, weak }: Notes): Generator<Step> {
  const { left, markers } = state;
  const places = state.nextMarker + (scenario.hasOutbox && isAnnounced(state) ? 1 : 0);
  if (left.hours > 0 && places > 0)
    yield step(state, "the life of the markers ends", (next) => {
      next.left.hours--;
      endMinute(next);
      next.aged = Array.from({ length: places }, () => true);
      next.expired = markers.map((one) => one !== undefined);
    });
  for (const [i, isExpired] of state.expired.entries())
    if (isExpired && markers[i] !== undefined)
      yield step(state, `sweeps marker ${i + 1}`, (next) => {
        next.markers[i] = undefined;
        next.expired[i] = false;
      });
  if (!scenario.hasOutbox || left.worker === 0) return;
  for (let i = 0; i < places; i++) {
    const marker = markers[i];
    if (marker === "closed" || marker === "handled") continue;
    const label = marker === undefined ? "closes the place" : "handles the message";
    yield step(state, `the worker ${label} ${i + 1}`, (next) => {
      next.left.worker--;
      if (marker === undefined) next.markers[i] = "closed";
      else next.markers[i] = weak === "handled message is removed" ? undefined : "handled";
    });
  }
}

/** Whether the place of a new message was announced, and its first request was not sent yet. */
const isAnnounced = ({ contexts, intentions, attempts }: State): boolean =>
  contexts.some(
    ({ position }) =>
      position.at === "send" &&
      !position.intentions.some((i) => intentions[i]!.attempts.some((one) => isUnjudged(attempts[one]!))),
  );

function* otherWriters(state: State): Generator<Step> {
  for (const [i, row] of state.rows.entries()) {
    const write = (label: string, content?: { readonly value: number; readonly other: number }): Step =>
      step(state, `another program ${label} row ${i + 1}`, (next) => {
        next.left.others--;
        next.rows[i] = content && { etag: String(next.nextEtag++), ...content };
      });
    if (row === undefined) {
      yield write("inserts 9 as", { value: theirs, other: 0 });
      yield write("inserts our value as", { value: ours, other: 0 });
      continue;
    }
    yield write("stores 9 in", { value: theirs, other: row.other });
    if (row.value !== ours) yield write("stores our value in", { value: ours, other: row.other });
    yield write("touches", { value: row.value, other: 1 - row.other });
    yield write("deletes");
  }
}

const operationText = (operation: RowOperation): string =>
  `${operation.type} ${operation.row + 1}${isConditional(operation) ? ` under ${operation.etag}` : ""}`;
