/**
 * What goes wrong with a request.
 *
 * - `refused`: nobody listens. `unsent`: the connection was gone before a byte left. Both are certainly not carried out.
 * - `reset`: the connection breaks. `timeout`: no answer comes in time. `truncated`: the answer breaks off.
 * - `garbage`: a success of some proxy with its own page in it. `crash`: the other side dies with all its connections.
 * - `error` (500), `operation-timed-out` (500), `bad-gateway` (502), `gateway-timeout` (504), `request-timeout` (408),
 *   `busy` (503), `throttled` (429): the service, or something before it, answers so.
 */
export type FaultKind =
  | "refused"
  | "unsent"
  | "reset"
  | "timeout"
  | "error"
  | "operation-timed-out"
  | "bad-gateway"
  | "gateway-timeout"
  | "request-timeout"
  | "busy"
  | "throttled"
  | "truncated"
  | "garbage"
  | "crash";

/** Every kind there is. */
export const faultKinds: readonly FaultKind[] = [
  "refused",
  "unsent",
  "reset",
  "timeout",
  "error",
  "operation-timed-out",
  "bad-gateway",
  "gateway-timeout",
  "request-timeout",
  "busy",
  "throttled",
  "truncated",
  "garbage",
  "crash",
];

/**
 * When it goes wrong: while the request is `sending`, `before` it is carried out, or `after`. `late`: it fails at once
 * and is carried out only after a later request was answered.
 */
export type FaultPlace = "sending" | "before" | "after" | "late";

/** Every place there is. */
export const faultPlaces: readonly FaultPlace[] = ["sending", "before", "after", "late"];

/**
 * A kind at a place, such as `reset-after`. A kind alone is at `before`, or at `sending` for those that happen only
 * there; `late` alone is `timeout-late`.
 */
export type Fault = FaultKind | `${FaultKind}-${FaultPlace}` | "late";

/** A fault taken apart. */
export interface PlacedFault {
  readonly kind: FaultKind;
  readonly place: FaultPlace;
}

/** Of these nothing ever arrives. */
const onlySending: ReadonlySet<FaultKind> = new Set(["refused", "unsent"]);

/** Whether such a fault can be: what never left was never carried out. */
export const isPossibleFault = (kind: FaultKind, place: FaultPlace): boolean =>
  place === "sending" || !onlySending.has(kind);

/** Every fault there is, a kind at each of its places. */
export const faults: readonly Fault[] = faultKinds.flatMap((kind) =>
  faultPlaces.filter((place) => isPossibleFault(kind, place)).map((place) => `${kind}-${place}` as const),
);

/** @throws TypeError for a fault there is not */
export function parseFault(fault: Fault): PlacedFault {
  const text: string = fault === "late" ? "timeout-late" : String(fault);
  const kind = faultKinds.find((one) => text === one || text.startsWith(`${one}-`));
  if (kind !== undefined) {
    const initial = onlySending.has(kind) ? "sending" : "before";
    const rest = text.slice(kind.length + 1);
    const place = rest === "" ? initial : faultPlaces.find((one) => one === rest);
    if (place !== undefined && isPossibleFault(kind, place)) return { kind, place };
  }
  throw new TypeError(`There is no fault "${text}". There are: ${faults.join(", ")}.`);
}
