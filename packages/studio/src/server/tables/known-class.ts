import type { EntityClass } from "@partita/core";
import type { EntityModel } from "@partita/core/models";

/** A class of the module, under a name that is unique in its table. */
export interface KnownClass {
  readonly name: string;
  readonly entityClass: EntityClass;
  readonly model: EntityModel;
}
