import { disprovedOutcome, neverKnown, type RecoverySource, unknownOutcomes } from "./outcome.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { abortSignal, listOfEntities, trueOrFalse } from "../options/checks.ts";
import { type CheckOptions, defineOptions } from "../options/define-options.ts";
import type { ChangeSet, TrackedEntity, InDoubtWrite } from "../unit-of-work/tracked-entity.ts";
import { findOverwritten } from "./late-upserts.ts";
import { ownChange } from "../unit-of-work/in-doubt-write.ts";
import { asksForSame } from "./ledger.ts";
import { monotonicTime } from "../storage/clock.ts";
import { type Proved, resolveWrites } from "./resolve-writes.ts";

/** How writes in doubt are resolved. */
export interface ResolveOptions {
  /** Resolves these entities only, and reports what that says of others in the same transactions. */
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
export function checkResolveOptions(options: ResolveOptions, { tracker }: RecoverySource): CheckedResolve {
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

/** Requests on the way at once. */
const concurrency = 8;

/**
 * Reads back what earlier saves left unknown, and says what that proves; entities that a late upsert overwrote are pending
 * again. Nothing is written.
 */
export async function resolveInDoubt(
  source: RecoverySource,
  { entities, wait, signal }: CheckedResolve,
): Promise<readonly SaveResult[]> {
  const { tracker, lateErrors } = source;
  lateErrors.length = 0;
  const open = new Map<TrackedEntity, InDoubtWrite>();
  for (const entry of tracker.entities.withWork()) {
    const write = entry.inDoubt.at(-1);
    if (write !== undefined && entities?.has(entry.entity) !== false) open.set(entry, write);
  }
  const stored = new Map<TrackedEntity, Proved>();
  const disproved = new Set<InDoubtWrite>();
  const unknown = new Map<TrackedEntity, SaveResult>();
  const siblings = new Map<TrackedEntity, SaveResult>();
  for (let isLast = !wait; ; isLast = true) {
    const resolved = await resolveWrites(source, [...open.keys()], {
      concurrency,
      ...(signal && { signal }),
    });
    for (const proved of resolved.committed) stored.set(proved.entry, proved);
    for (const write of resolved.disproved) disproved.add(write);
    // Kept from the round that found it out: after it, the entity waits for nothing.
    for (const { entry, result } of resolved.unknown)
      if (entry.inDoubt.length === 0) unknown.set(entry, result);
    // What is found out of others in the same transactions is reported once as well.
    for (const { entry, result } of [...resolved.unknown, ...resolved.committed])
      if (!open.has(entry) && entry.inDoubt.length === 0) siblings.set(entry, result);
    await findOverwritten(source, { concurrency, signal });
    const left = [...open.keys()].flatMap(({ inDoubt }) => inDoubt);
    for (const { entity, late } of [...tracker.entities.withWork(), ...tracker.removed.late])
      if (entities?.has(entity) !== false) left.push(...late);
    if (isLast || left.length === 0 || signal?.aborted === true) break;
    await waitForLast(left, signal);
  }
  const results = Array.from(open, ([entry, write]) => {
    const own = changeOf(entry, write);
    const proved = stored.get(entry);
    if (proved !== undefined && asksForSame(changeOf(entry, proved.write), own)) return proved.result;
    const gone = unknown.get(entry);
    if (gone !== undefined) return gone;
    // Another attempt of the same change may have been stored.
    const others = [...entry.inDoubt, ...entry.neverKnown].filter((other) => other !== write);
    const isRepeated = others.some((other) => asksForSame(changeOf(entry, other), own));
    return resultOf(entry, write, own, disproved.has(write) && !isRepeated);
  });
  return [...results, ...siblings.values()];
}

/** Until none of the requests can take effect any more. */
async function waitForLast(writes: readonly InDoubtWrite[], signal: AbortSignal | undefined): Promise<void> {
  for (const { clock, lateUntil } of writes) {
    // One millisecond after the last one.
    const ms = lateUntil - monotonicTime(clock) + 1;
    if (ms > 0) await clock.wait(ms, signal);
  }
}

const changeOf = (entry: TrackedEntity, write: InDoubtWrite): ChangeSet =>
  ownChange(write, entry) ?? (write.changes[0] as ChangeSet);

/** What was detached meanwhile, or is not there, stays unknown: somebody may have removed it since. */
function resultOf(
  entry: TrackedEntity,
  write: InDoubtWrite,
  own: ChangeSet,
  isDisproved: boolean,
): SaveResult {
  const alone = { ...write, changes: [own] };
  const [outcome] = isDisproved
    ? [disprovedOutcome(alone)]
    : entry.inDoubt.includes(write)
      ? unknownOutcomes(alone, write.error, 0)
      : [neverKnown(own, write.error, 0)];
  return { ...(outcome as { readonly result: SaveResult }).result, entity: entry.entity };
}
