import type { UndeclaredPolicy } from "../../model/declaration/undeclared-policy.ts";
import type { ContextHooks, HookContext } from "../unit-of-work/hooks.ts";
import type { IndexStates } from "../../model/schema/index-states.ts";
import type { RecoverySource } from "../recovery/outcome.ts";
import type { EntityValidator } from "./validator.ts";

/** The parts of a context that a save uses. */
export interface SaveSource extends RecoverySource {
  /** Passed to hooks and validators. */
  readonly context: HookContext;
  /** Whether there are any: code that runs while its own context saves, and must not save from inside. */
  readonly runsCallbacks: boolean;
  readonly hooks: ContextHooks;
  /** Whether the unique indexes of a class have been built. */
  readonly indexStates: IndexStates;
  /** Undefined where there is none: then validation costs nothing. */
  readonly validators: readonly EntityValidator[] | undefined;
  /** The policy for values that no class declares, for classes without a policy of their own. */
  readonly undeclared: UndeclaredPolicy;
}
