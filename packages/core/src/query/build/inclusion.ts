import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { OrphanPolicy } from "../options/include-options.ts";
import type { Projection } from "./projection.ts";

/** A list of children that a query includes. */
export interface IncludedList {
  readonly property: string;
  readonly child: EntityModel;
  readonly onOrphan: OrphanPolicy | undefined;
  /** The selected properties of the children; undefined for all of them. */
  readonly projection?: Projection | undefined;
}

/** The children that a query includes. */
export interface Inclusion {
  readonly parent: EntityModel;
  readonly lists: readonly IncludedList[];
}
