import { appliesOnce } from "../unit-of-work/in-doubt-write.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";

/**
 * Whether changes of one request may be sent again while the first request may be stored, or may be yet. An insert or an
 * ETag lets them be stored once only; unconditional writes would overwrite what somebody stored in between, unless the
 * caller said that nobody else writes these rows.
 */
export const maySendAgain = (changes: readonly ChangeSet[]): boolean =>
  changes.some(appliesOnce) || changes.every(({ entry }) => entry.isIdempotent);
