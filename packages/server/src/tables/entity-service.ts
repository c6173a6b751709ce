import type { TableStorage } from "@partita/core";
import type { Pace } from "../http/pace.ts";

/** The storage of entities, and the settings of pages. */
export interface EntityService {
  readonly storage: TableStorage;
  readonly account: string;
  /** Maximum number of entities per page. */
  readonly pageSize: number;
  /** Whether an empty page precedes every page. */
  readonly emptyPages: boolean;
  /** Splits long work into pieces. */
  readonly pace: Pace;
}
