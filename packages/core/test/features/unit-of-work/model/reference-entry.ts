// What the reference model knows of an entity, and what was sent of it.
import type { Row, Values, Write } from "./reference-store.ts";

export type Name = "p" | "q" | "r";
export const names: readonly Name[] = ["p", "q", "r"];

/** Values by property; a property that is missing here was not loaded, one that is undefined is absent. */
export type Known = Partial<Record<Name, number | undefined>>;

export interface Entry {
  /** Its place among the others. */
  id: number;
  readonly key: string;
  intent: "none" | "add" | "upsert-merge" | "upsert-replace" | "remove";
  /** For an addition: the version it replaces. */
  replaces?: number | "*" | undefined;
  values: Known;
  snapshot: Known | undefined;
  extra: Values;
  isComplete: boolean;
  version: number | "*" | undefined;
  isStale: boolean;
  exists: boolean;
  isForced: boolean;
  /** The one property that is sent to keep a late write out. */
  fence?: Name | undefined;
  /** Whether the last save met a conflict. */
  isRefused: boolean;
  replaced?: Entry | undefined;
}

export interface Sent {
  readonly entry: Entry;
  readonly write: Write;
  /** Whether `update()` had asked for it. */
  readonly isForced: boolean;
  /** What was known of the row when it was sent. */
  readonly known: Entry["snapshot"];
  /** What is known once it is stored. */
  readonly after: Pick<Entry, "snapshot" | "extra" | "isComplete"> | undefined;
}

export interface Uncertain {
  readonly sent: readonly Sent[];
  readonly serial: number;
  /** Until when a request of it may arrive. */
  readonly until: number;
  /** Whether one removal must win, as the save that sent it said. */
  readonly mustWin: boolean;
}

/** How a save is made. */
export interface SaveSettings {
  readonly isBatched: boolean;
  readonly removeMissing: RemoveMissing;
  /** Whether no read of the save is answered. */
  readonly readsFail: boolean;
  /** Keys of the entities to save; all when undefined. */
  readonly only?: readonly string[] | undefined;
}

type RemoveMissing = "conflict" | "ignore" | "error";

export interface Told {
  readonly key: string;
  readonly outcome: "committed" | "rejected" | "unknown";
}

/** Whether a row still holds everything that is known of it. */
export function isAsKnown(
  { snapshot, extra, isComplete }: Pick<Entry, "snapshot" | "extra" | "isComplete">,
  { values }: Row,
): boolean {
  const known: Values = { ...extra, ...present(snapshot ?? {}) };
  return (["p", "q", "r", "x"] as const).every(
    (name) => known[name] === values[name] || (!isComplete && known[name] === undefined),
  );
}

export const present = (values: Known): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
