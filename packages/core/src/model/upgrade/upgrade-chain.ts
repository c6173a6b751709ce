import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { NamedStep, Shape } from "./step.ts";

/** How rows of one version become rows of the next. */
export type VersionChange =
  | { readonly type: "steps"; readonly steps: readonly NamedStep[] }
  /** A function over the values of the row; what it says of names is not known. */
  | {
      readonly type: "free";
      readonly convert: (values: object, key: EntityKey) => object;
      readonly back?: ((values: object, key: EntityKey) => object) | undefined;
    };

/** The versions of a class, as data: what each held, and the way from each to the next. */
export interface UpgradeChain {
  /** The version of the last shape; the first is 1. */
  readonly version: number;
  /** One for each version. */
  readonly shapes: readonly Shape[];
  /** One for each version but the first. */
  readonly changes: readonly VersionChange[];
  /** Rows are of this version or a later one: older ones are still upgraded, but no query looks for them. */
  readonly oldest: number;
  /** The oldest version that other running releases may know: rows keep its form. */
  readonly lowest: number;
  /** The class of an older release whose index rows are kept. */
  readonly formerIndexes?: object | undefined;
}
