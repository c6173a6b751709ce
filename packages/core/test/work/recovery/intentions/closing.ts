import type { Client } from "./client.ts";
import { canFail, type Go } from "./faults.ts";
import { isLost, isUnjudged } from "./rules.ts";
import type { Marker, Position } from "./state.ts";
import type { Step } from "./store.ts";

type Closing = Extract<Position, { at: "close" }>;

/** Ends a doubt by inserting its marker. */
export function* closeSteps(before: Client, position: Closing, go: Go): Generator<Step> {
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
  const toldNow = new Set(notes.reported.map((one) => one.intention));
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
