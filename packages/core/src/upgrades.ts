// Upgrades of stored rows: the chain of steps between a class's versions, and work on whole tables of them.

export {
  add,
  type AddStep,
  join,
  type JoinStep,
  type NamedStep,
  remove,
  type RemoveStep,
  rename,
  type RenameStep,
  retype,
  type RetypeStep,
  type Shape,
  type ShapeValues,
  split,
  type SplitStep,
  type StoredType,
  type TypeValue,
} from "./model/upgrade/step.ts";
export { type Upgrades, upgrades } from "./model/upgrade/upgrades.ts";
export type { UpgradeChain, VersionChange } from "./model/upgrade/upgrade-chain.ts";
