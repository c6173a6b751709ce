/**
 * The kind of a fault.
 *
 * - `refused`: nothing listens at the address. `unsent`: the connection was closed before a byte was sent. With both,
 *   the request is certainly not applied.
 * - `reset`: the connection breaks. `timeout`: no response arrives in time. `truncated`: the response ends too early.
 * - `garbage`: a proxy responds with success and its own page. `crash`: the server process ends, with all its
 *   connections.
 * - `error` (500), `operation-timed-out` (500), `bad-gateway` (502), `gateway-timeout` (504), `request-timeout` (408),
 *   `busy` (503), `throttled` (429): the service, or a proxy, responds with this status.
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

/** All kinds. */
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
 * The moment of a fault: while the request is `sending`, `before` it is applied, or `after`. `late`: the request fails
 * immediately, but is applied after a later request got its response.
 */
export type FaultPlace = "sending" | "before" | "after" | "late";

/** All places. */
export const faultPlaces: readonly FaultPlace[] = ["sending", "before", "after", "late"];

/**
 * A kind with a place, such as `reset-after`. A kind alone means `before`, or `sending` for the kinds that are only
 * possible there. `late` alone means `timeout-late`.
 */
export type Fault = FaultKind | `${FaultKind}-${FaultPlace}` | "late";

/** A parsed fault. */
export interface PlacedFault {
  readonly kind: FaultKind;
  readonly place: FaultPlace;
}

/** With these, no request ever arrives. */
const onlySending: ReadonlySet<FaultKind> = new Set(["refused", "unsent"]);

/** Whether a fault is possible: an unsent request is never applied. */
export const isPossibleFault = (kind: FaultKind, place: FaultPlace): boolean =>
  place === "sending" || !onlySending.has(kind);

/** All possible faults: each kind with each of its places. */
export const faults: readonly Fault[] = faultKinds.flatMap((kind) =>
  faultPlaces.filter((place) => isPossibleFault(kind, place)).map((place) => `${kind}-${place}` as const),
);

/** @throws TypeError for an unknown fault */
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
