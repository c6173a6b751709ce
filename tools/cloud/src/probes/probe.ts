import type { TableStorage } from "@partita/core";
import type { RawRequest } from "../raw-request.ts";

/** Where a probe measures. */
interface ProbedPlace {
  readonly storage: TableStorage;
  /** A table of its own, which is empty. */
  readonly table: string;
  /** Sends a request as it is; undefined where the account's key is not known. */
  readonly raw: RawRequest | undefined;
  /** How long a request that nobody waits for is looked for. */
  readonly lateWindowMs: number;
  readonly isCosmos: boolean;
}

/** What was measured, and what is assumed of it. */
export interface Finding {
  readonly what: string;
  readonly measured: unknown;
  /** Absent where a figure is reported and nothing depends on it. */
  readonly assumed?: unknown;
  readonly holds: boolean;
}

/** A group of assumptions that the library, its server or its guides make of the service. */
export interface Probe {
  readonly name: string;
  readonly measure: (place: ProbedPlace) => Promise<readonly Finding[]>;
}

/** A finding that has to be as it is assumed. */
export const assumes = (what: string, measured: unknown, assumed: unknown): Finding => ({
  what,
  measured,
  assumed,
  holds: JSON.stringify(measured) === JSON.stringify(assumed),
});

/** A figure that is reported. */
export const reports = (what: string, measured: unknown): Finding => ({ what, measured, holds: true });
