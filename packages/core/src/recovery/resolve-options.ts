import { abortSignal, listOfEntities, trueOrFalse } from "../options/checks.ts";
import { type CheckOptions, defineOptions } from "../options/define-options.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";

/** How writes in doubt are resolved. */
export interface ResolveOptions {
  /** Resolves these entities only. */
  readonly only?: Iterable<object> | undefined;
  /**
   * Whether to wait until a request that is not stored yet can no longer arrive, up to a minute after it was sent;
   * default false.
   */
  readonly wait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<ResolveOptions>("resolveInDoubt(options)", {
  only: listOfEntities,
  wait: trueOrFalse,
  signal: abortSignal,
});

/**
 * What a call resolves, checked as it is made; it may begin later.
 *
 * @throws OptionError `context.option`; StateError `entity.not-tracked`
 */
export function checkResolveOptions(options: ResolveOptions, tracker: ChangeTracker): CheckedResolve {
  checkOptions(options);
  const { only, wait = false, signal } = options;
  const entities = only === undefined ? undefined : new Set(only);
  for (const entity of entities ?? []) tracker.tracked(entity, "resolveInDoubt");
  return { entities, wait, signal };
}

export interface CheckedResolve {
  readonly entities: ReadonlySet<object> | undefined;
  readonly wait: boolean;
  readonly signal: AbortSignal | undefined;
}
