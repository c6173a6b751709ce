// `TableContext.resolveInDoubt()` calls this file. It reads the rows and markers of writes with lost responses, can
// wait until delayed requests can no longer arrive, and reports one result for each entity.

import { abortSignal, listOfEntities, trueOrFalse } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { monotonicTime } from "../../storage/clock.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { Attempt } from "./attempt.ts";
import { findOverwritten } from "./delayed-writes.ts";
import { asksForSame, type Lost } from "./ledger.ts";
import { disproved, type RecoverySource, stillUnknown } from "./outcome.ts";
import { conclude } from "./lost-response-rules.ts";
import { resolveAttempts, type Resolved } from "./resolve-attempts.ts";

/** Options of `resolveInDoubt`. */
export interface ResolveOptions {
  /**
   * Resolves these entities only, and also reports findings about others in the same transactions.
   *
   * ```ts
   * const results = await context.resolveInDoubt({ only: [blog] });
   * ```
   */
  readonly only?: Iterable<object> | undefined;
  /**
   * Whether to wait until a request that is not stored yet can no longer arrive, up to a minute after it was sent;
   * default false.
   *
   * ```ts
   * const results = await context.resolveInDoubt({ wait: true });
   * console.log(results.every(({ outcome }) => outcome !== "unknown")); // → true
   * ```
   */
  readonly wait?: boolean | undefined;
  /**
   * Cancels the requests and the wait.
   *
   * ```ts
   * await context.resolveInDoubt({ wait: true, signal: AbortSignal.timeout(90_000) });
   * ```
   */
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<ResolveOptions>("resolveInDoubt(options)", {
  only: listOfEntities,
  wait: trueOrFalse,
  signal: abortSignal,
});

/**
 * Checks the options when the call is made; the work itself may start later.
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

interface CheckedResolve {
  readonly entities: ReadonlySet<object> | undefined;
  readonly wait: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Concurrent requests. */
const concurrency = 8;

/**
 * Reads the rows of writes with unknown outcomes, and reports what was found. Entities that a delayed write overwrote
 * become pending again. Only markers are written.
 */
export async function resolveInDoubt(
  source: RecoverySource,
  { entities, wait, signal }: CheckedResolve,
): Promise<readonly SaveResult[]> {
  const { tracker, ledger, lateErrors } = source;
  lateErrors.length = 0;
  const isAsked = ({ entity }: TrackedEntity): boolean => entities?.has(entity) !== false;
  const open = new Map<TrackedEntity, Lost>();
  for (const entry of tracker.entities.withWork().filter(isAsked)) {
    // The newest change that was sent, even if nothing more can be found out about it.
    const newest = entry.isInDoubt ? (ledger.sentOf(entry).at(-1) ?? ledger.open(entry).at(-1)) : undefined;
    if (newest !== undefined) open.set(entry, newest);
  }
  const known = new Map<TrackedEntity, Resolved>();
  const disprovedOnes = new Set<Attempt>();
  for (let isLast = !wait; ; isLast = true) {
    const resolution = await resolveAttempts(source, [...open.keys()], {
      concurrency,
      ...(signal && { signal }),
    });
    for (const one of [...resolution.blocked, ...resolution.known]) known.set(one.entry, one);
    for (const attempt of resolution.disproved) disprovedOnes.add(attempt);
    await findOverwritten(source, { concurrency, signal });
    const left = ledger.unfinished(({ model, key, deleted }) => {
      const entry = tracker.entities.ofKey(model, key) ?? deleted;
      return entry !== undefined && isAsked(entry);
    });
    if (isLast || left.length === 0 || signal?.aborted === true) break;
    await waitForLast(left, signal);
  }
  const asked = new Set([...open.values()].map(({ change }) => change.entry));
  const results = [...open.values()].map((lost) =>
    resultOf(source, lost, known.get(lost.change.entry), disprovedOnes.has(lost.attempt)),
  );
  // Report findings about other entities of the same transactions once as well.
  const others = [...known.values()].filter(
    ({ entry, change }) => !asked.has(change.entry) && !entry.isInDoubt,
  );
  return [...results, ...others.map(({ result }) => result)];
}

/** Waits until none of the requests can take effect. */
async function waitForLast(attempts: readonly Attempt[], signal: AbortSignal | undefined): Promise<void> {
  for (const { clock, lateUntil } of attempts) {
    // One millisecond after the last one.
    const ms = lateUntil - monotonicTime(clock) + 1;
    if (ms > 0) await clock.wait(ms, signal);
  }
}

/** The result for the newest change of an entity that was in doubt, from everything known now. */
function resultOf(
  { ledger }: RecoverySource,
  { attempt, change }: Lost,
  resolved: Resolved | undefined,
  isDisproved: boolean,
): SaveResult {
  if (resolved?.result.outcome === "committed" && asksForSame(resolved.change, change))
    return resolved.result;
  const left = ledger.attemptsOf(change);
  if (conclude(left) !== "clear") return stillUnknown(change, left);
  if (isDisproved) return disproved(change, attempt.error).result;
  // Its row no longer exists, or the program detached it meanwhile: nothing more can be found out.
  const isFinal = resolved?.result.outcome === "unknown" && resolved.result.lateUntil === undefined;
  return isFinal ? resolved.result : stillUnknown(change, [{ attempt, change, state: "closed" }]);
}
