import type { TableStorage } from "@partita/core";
import type { RawRequest } from "../raw-request.ts";

/** The account and table of a probe. */
interface ProbedPlace {
  readonly storage: TableStorage;
  /** An empty table for this probe. */
  readonly table: string;
  /** Sends a raw request. Undefined if the account's key is not known. */
  readonly raw: RawRequest | undefined;
  /** How long to look for the effect of an abandoned request. */
  readonly lateWindowMs: number;
  readonly isCosmos: boolean;
}

/** A measurement, and the assumption about it. */
export interface Finding {
  readonly what: string;
  readonly measured: unknown;
  /** Absent for a figure that is only reported. */
  readonly assumed?: unknown;
  readonly holds: boolean;
}

/** A group of assumptions about the service that the library, its server or its guides make. */
export interface Probe {
  readonly name: string;
  readonly measure: (place: ProbedPlace) => Promise<readonly Finding[]>;
}

/** A finding that must match its assumption. */
export const assumes = (what: string, measured: unknown, assumed: unknown): Finding => ({
  what,
  measured,
  assumed,
  holds: JSON.stringify(measured) === JSON.stringify(assumed),
});

/** A figure that is only reported. */
export const reports = (what: string, measured: unknown): Finding => ({ what, measured, holds: true });
