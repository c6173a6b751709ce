import { Client } from "./client.ts";
import { closeSteps } from "./closing.ts";
import { canFail, type Go } from "./faults.ts";
import { meetLate } from "./late.ts";
import { isConditional, isLost, isUnjudged } from "./rules.ts";
import type { Notes } from "./notes.ts";
import type { ModelAttempt, Position, State } from "./state.ts";
import { applyAttempt, type Refusal, type Step, step } from "./store.ts";

/** The requests of a context's save or `resolve`: each with every way in which it can end. */
export function* requestSteps(state: State, at: number, notes: Notes): Generator<Step> {
  const { position } = state.contexts[at]!;
  const name = state.contexts.length > 1 ? `  context ${at + 1} ` : "  ";
  const go = (label: string, change: (client: Client) => void): Step =>
    step(state, name + label, (next) => change(new Client(next, at, notes)));
  switch (position.at) {
    case "idle":
      return;
    case "read":
      return yield* readSteps(state, position, notes, go);
    case "send":
      return yield* sendSteps(new Client(state, at, notes), position.intentions, go);
    case "lost":
      return yield* lostSteps(new Client(state, at, notes), position.intentions, go);
    case "close":
      return yield* closeSteps(new Client(state, at, notes), position, go);
    default:
      position satisfies never;
  }
}

type Reading = Extract<Position, { at: "read" }>;

function* readSteps(state: State, position: Reading, notes: Notes, go: Go): Generator<Step> {
  const { intentions, why } = position;
  const row = state.rows[position.rows.length];
  yield go(`reads row ${position.rows.length + 1}: ${row?.value ?? "absent"}`, (client) => {
    const { context } = client;
    context.requests++;
    const over =
      position.rows.length > 0
        ? position.over
        : client.state.attempts.map((one) => one.state === "over" || one.state === "closed");
    const rows = [...position.rows, row];
    if (rows.length < state.rows.length) context.position = { ...position, rows, over };
    else {
      const overwritten = meetLate(client, rows, over);
      client.decide(rows, over, why, why === "save" ? [...intentions, ...overwritten] : intentions);
    }
  });
  if (!canFail(state, notes)) return;
  yield go("a read fails", (client) => {
    client.state.left.faults--;
    for (const i of intentions) if (client.isInDoubt(i)) client.tell(i, "unknown", "", false);
    client.idle();
  });
}

function* sendSteps(before: Client, intentions: readonly number[], go: Go): Generator<Step> {
  const { state, notes } = before;
  if (before.isExact && intentions.some((i) => before.hasAged(i))) {
    yield go("finds its marker too old to send again", (client) => client.goOn(intentions));
    return;
  }
  if (before.isExact && state.aged[state.nextMarker] === true && notes.weak !== "old place is sent") {
    yield go("finds the announcement of its message too old", (client) => {
      leavePlace(client.state);
      client.refused(intentions, "too late");
    });
    return;
  }
  const canBuild =
    state.left.attempts > 0 &&
    intentions.every((i) => before.changesOf(i).every((one) => before.operationOf(one) !== undefined));
  if (!canBuild) {
    yield go("cannot send", (client) => {
      for (const i of intentions) {
        if (client.isInDoubt(i)) client.tell(i, "unknown", "", !client.isOpen(i));
        else client.tell(i, "rejected", "not sent");
      }
      leavePlace(client.state);
      client.idle();
    });
    return;
  }
  yield go("sends: response", (client) => {
    const attempt = newAttempt(client, intentions);
    const refusal = applyAttempt(client.state, client.state.attempts.indexOf(attempt), notes);
    if (refusal === undefined) succeeded(client, attempt, intentions);
    else wasRefused(client, attempt, intentions, refusal);
  });
  if (!canFail(state, notes)) return;
  const lose = (client: Client): void => {
    client.state.left.faults--;
    client.context.hadFault = true;
    client.context.position = { at: "lost", intentions };
  };
  yield go("sends: applied, response lost", (client) => {
    const attempt = newAttempt(client, intentions);
    applyAttempt(client.state, client.state.attempts.indexOf(attempt), notes);
    lose(client);
  });
  yield go("sends: delayed or lost", (client) => {
    newAttempt(client, intentions).isOnTheWay = true;
    lose(client);
  });
  yield go("sends: no connection", (client) => {
    client.state.left.faults--;
    client.context.requests++;
    leavePlace(client.state);
    client.refused(intentions, "unreachable");
  });
}

/** Each save announces new places: one that was closed or grew old in the meantime is not used by a later one. */
function leavePlace(state: State): void {
  const place = state.nextMarker;
  if (state.markers[place] === undefined && state.aged[place] !== true) return;
  state.nextMarker++;
  state.markers[place] ??= undefined;
  state.aged[place] ??= false;
  state.expired[place] ??= false;
}

function newAttempt(client: Client, intentions: readonly number[]): ModelAttempt {
  const { state, context, notes } = client;
  const { ignoresMissing } = notes.scenario;
  const operations = intentions.flatMap((i) =>
    client.changesOf(i).flatMap((change) => {
      const isDone =
        ignoresMissing && change.type === "delete" && context.entities[change.row]!.etag === undefined;
      return isDone ? [] : [client.operationOf(change)!];
    }),
  );
  const attempt: ModelAttempt = {
    operations,
    intentions,
    marker: client.isExact ? markerOf(client, intentions) : undefined,
    context: client.at,
    state: "open",
    isOnTheWay: false,
  };
  const at = state.attempts.push(attempt) - 1;
  for (const i of intentions) {
    const intention = state.intentions[i]!;
    state.intentions[i] = { ...intention, attempts: [...intention.attempts, at] };
  }
  state.left.attempts--;
  context.requests++;
  return attempt;
}

/** The marker of the attempts that are in doubt, or a new one. */
function markerOf(client: Client, intentions: readonly number[]): number {
  const { state, notes } = client;
  const unjudged = intentions.flatMap((i) => client.attemptsOf(i)).find(isUnjudged);
  if (unjudged?.marker !== undefined && notes.weak !== "new marker before the old one is closed")
    return unjudged.marker;
  if (notes.weak === "markers are numbered by each context") {
    return Math.max(-1, ...client.ownAttempts().map((one) => one.marker ?? -1)) + 1;
  }
  const marker = state.nextMarker++;
  if (state.markers.length <= marker) state.markers.push(undefined);
  state.aged[marker] = false;
  state.expired[marker] ??= false;
  return marker;
}

function succeeded(client: Client, attempt: ModelAttempt, intentions: readonly number[]): void {
  const { state, context, notes } = client;
  attempt.state = "yes";
  for (const i of intentions) client.commit(i, "response", state.rows);
  // A version does not come back: what else was sent under it was not applied, and never will be.
  const conditions = attempt.operations.filter(isConditional);
  for (const other of client.ownAttempts())
    if (
      isLost(other) &&
      other.operations.some(({ row, etag }) => conditions.some((one) => one.row === row && one.etag === etag))
    )
      other.state = "no";
  client.idle();
  if (context.hadNoDoubt && context.requests > 1 && !context.hadFault)
    notes.violations.push("6: more than one request");
}

function wasRefused(
  client: Client,
  attempt: ModelAttempt,
  intentions: readonly number[],
  { reason, at }: Refusal,
): void {
  const { context, notes } = client;
  attempt.state = "no";
  if (at === "marker") {
    // Nothing was sent before: the worker closed the place of the message.
    for (const i of intentions) if (!client.isInDoubt(i)) client.tell(i, "rejected", "abandoned");
    client.startClose("refused marker", intentions, intentions);
    return;
  }
  const entity = context.entities[at]!;
  if (
    reason !== "exists" &&
    entity.etag !== "*" &&
    attempt.operations.some(({ row, etag }) => row === at && etag === entity.etag)
  )
    entity.refusedEtag = entity.etag;
  const group = intentions.find(
    (i) =>
      client.changesOf(i).length > 1 &&
      client.changesOf(i).some((one) => one.row === at && one.type === "delete"),
  );
  const isStripped =
    notes.scenario.ignoresMissing &&
    reason === "missing" &&
    group !== undefined &&
    !intentions.some((i) => client.isInDoubt(i));
  if (!isStripped) return client.refused(intentions, reason);
  client.strip(group, at);
  context.hadFault = true;
}

function* lostSteps(before: Client, intentions: readonly number[], go: Go): Generator<Step> {
  const { state, notes } = before;
  const { operations } = before.ownAttempts().at(-1)!;
  const mayRepeat =
    notes.scenario.proof === "marker" ||
    notes.scenario.isIdempotent ||
    operations.some((one) => one.type === "insert" || isConditional(one));
  if (state.left.attempts > 0 && mayRepeat)
    yield go("tries again", ({ context }) => {
      context.position = { at: "send", intentions };
    });
  yield go("gives up trying", (client) => client.askAfterSending(intentions));
}
