import { Client } from "./client.ts";
import { isConditional, isLost, isUnjudged } from "./rules.ts";
import type { Change, Marker, ModelAttempt, Notes, Position, Row, RowOperation, State } from "./state.ts";
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

type Go = (label: string, change: (client: Client) => void) => Step;
type Reading = Extract<Position, { at: "read" }>;
type Closing = Extract<Position, { at: "close" }>;

const canFail = ({ left }: State, { isCalm }: Notes): boolean => !isCalm && left.faults > 0;

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

/**
 * Looks for delayed upserts that overwrote something newer of ours: what was lost becomes a pending change again, under the
 * version that was known, so that the next save is refused as a conflict.
 *
 * @returns the changes that are pending again
 */
function meetLate(
  client: Client,
  rows: readonly State["rows"][number][],
  over: readonly boolean[],
): number[] {
  const overwritten: number[] = [];
  const { state, notes } = client;
  for (const attempt of client.late()) {
    for (const operation of attempt.operations) {
      const lost = lostChange(client, operation, rows[operation.row]);
      if (lost !== undefined) overwritten.push(client.intend([lost]));
    }
    const wasOver = over[state.attempts.indexOf(attempt)] === true;
    if (wasOver || notes.weak === "delayed upsert is forgotten after one read") attempt.state = "closed";
  }
  return overwritten;
}

/** A newer change that a delayed operation seems to have overwritten. */
function lostChange(
  { context, notes }: Client,
  operation: RowOperation,
  row: Row | undefined,
): Change | undefined {
  const entity = context.entities[operation.row]!;
  const isLate =
    row?.value === operation.value && (operation.type === "merge" || row.other === operation.other);
  if (!isLate || entity.wants >= 0 || entity.etag === row.etag) return undefined;
  if (entity.isDetached) {
    if (operation.type !== "upsert" || notes.weak === "deleted row is not read again") return undefined;
    // The version that was deleted: it does not come back.
    Object.assign(entity, { isDetached: false, etag: "0" });
    return { type: "delete", row: operation.row, value: 0 };
  }
  const isKnown = entity.etag !== undefined && entity.etag !== "?" && entity.etag !== "*";
  if (!isKnown || row.value === entity.value) return undefined;
  return { type: "put", row: operation.row, value: entity.value };
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

function* closeSteps(before: Client, position: Closing, go: Go): Generator<Step> {
  const { state, notes } = before;
  const [first] = position.todo;
  const marker = before.lostOf(first!).find(isUnjudged)?.marker;
  if (marker === undefined) {
    yield go("has no marker to close", (client) => endClosing(client, position));
    return;
  }
  yield go(`inserts marker ${marker + 1} itself: ${state.markers[marker] ?? "closed"}`, (client) => {
    client.context.requests++;
    const was = client.state.markers[marker];
    client.state.markers[marker] ??= "closed";
    learnMarker(client, marker, was);
    endClosing(client, position);
  });
  if (!canFail(state, notes)) return;
  const lose = (client: Client): void => {
    client.state.left.faults--;
    for (const i of new Set([...position.todo, ...position.intentions]))
      if (client.isInDoubt(i) && !client.context.ended.includes(i)) client.tell(i, "unknown", "", false);
    client.idle();
  };
  yield go(`inserts marker ${marker + 1} itself: delayed or lost`, (client) => {
    client.state.closings.push({ marker, isOnTheWay: true });
    lose(client);
  });
  yield go(`inserts marker ${marker + 1} itself: done, response lost`, (client) => {
    client.state.markers[marker] ??= "closed";
    lose(client);
  });
}

/** Every attempt with this marker is decided, unless the marker may have been swept. */
function learnMarker(client: Client, marker: number, was: Marker): void {
  const { weak } = client.notes;
  const wasApplied =
    was === "written" ||
    (was === "handled" && weak !== "handled message is no proof") ||
    (was === "closed" && weak === "any row in the place is proof");
  for (const attempt of client.ownAttempts()) {
    if (attempt.marker !== marker || !isLost(attempt)) continue;
    // A row that is absent, or that a second closing finds, proves nothing once the first could have been swept.
    const mayBeSwept =
      client.isAged(attempt) &&
      weak !== "absent marker is proof for ever" &&
      !(was === "closed" && weak === "closed marker is proof for ever");
    if (wasApplied) attempt.state = "yes";
    else attempt.state = mayBeSwept ? "closed" : "no";
  }
}

function endClosing(client: Client, { todo: [first, ...rest], why, intentions, ...position }: Closing): void {
  const { context, notes } = client;
  const i = first!;
  const found = notes.rules.conclude(client.attemptsOf(i), []);
  const isEnded = context.ended.includes(i);
  const isOver = found.is !== "in doubt" || found.isFinal;
  if (found.is === "committed") client.commit(i, "marker");
  else if (isOver && !isEnded && (why !== "save" || found.is === "in doubt"))
    client.tell(i, found.is === "clear" ? "rejected" : "unknown", "closed");
  if (isOver) context.ended = context.ended.filter((j) => j !== i);
  const toldNow = new Set(notes.told.map((one) => one.intention));
  const left = intentions.filter(
    (j) => !(j === i && (found.is === "committed" || (isOver && found.is === "in doubt"))) && !toldNow.has(j),
  );
  const todo = client.isOpen(i) ? [i, ...rest] : rest;
  if (todo.length > 0) context.position = { ...position, why, todo, intentions: left };
  else if (why !== "save") client.idle();
  else if (left.length > 0)
    client.goOn(left.filter((j) => context.entities.some(({ wants }) => wants === j)));
  else client.idle();
}
