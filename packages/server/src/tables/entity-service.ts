import type { TableStorage } from "@partita/core";
import type { Pace } from "../http/pace.ts";

/** What entities are kept in, and how they are handed out. */
export interface EntityService {
  readonly storage: TableStorage;
  readonly account: string;
  /** Entities of a page at most. */
  readonly pageSize: number;
  /** Whether every page follows an empty one. */
  readonly emptyPages: boolean;
  /** What long work goes by. */
  readonly pace: Pace;
}
