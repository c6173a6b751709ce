import { FileError } from "../errors/file-error.ts";
import { closed, type VersionPlace } from "../errors/file-errors.ts";
import { closeVersions } from "../blocks/read-state.ts";
import type { FileMetadata } from "../rows/file-metadata.ts";
import type { FileRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore, nowOf } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { currentVersions, fileKey, maxVersion, versionsOf } from "./find-version.ts";

/** The values of a new version. */
export interface VersionValues {
  readonly contentType?: string | undefined;
  readonly metadata?: FileMetadata | undefined;
}

type Signal = AbortSignal | undefined;

/**
 * Creates a new version that is not visible yet. Its row is written first, so everything that is stored of
 * the version can be found and reclaimed, even if its program is killed.
 */
export async function beginVersion(
  store: FileStore,
  path: string,
  values: VersionValues,
  signal: Signal,
): Promise<VersionPlace> {
  const place = await untilFirst(store, { place: { path, version: 0 }, signal }, async () => {
    const context = contextOf(store);
    const newest = await versionsOf(store, context, path).mergeOption("noTracking").first({ signal });
    const version = (newest?.version ?? 0) + 1;
    if (version > maxVersion)
      throw new FileError(
        "file.version",
        `${JSON.stringify(path)} has reached the maximum of ${maxVersion} versions.`,
        {
          path,
        },
      );
    const now = nowOf(store);
    context.create(store.rows.FileRow, {
      ...fileKey(store, { path, version }),
      state: "writing",
      createdAt: now,
      versionCreatedAt: now,
      updatedAt: now,
      ...values,
    });
    const isFirst = await saveOnce(context, { place: { path, version }, what: "the start", signal });
    return isFirst ? { path, version } : undefined;
  });
  const context = contextOf(store);
  context.create(store.rows.StateRow, { ...place, row: "!", state: "open", next: 0n });
  if (!(await saveOnce(context, { place, what: "the start", signal }))) throw closed(place);
  return place;
}

/**
 * Makes a version the current one and ends the previous one, in one transaction. If a newer version is
 * already current, this version is deleted immediately.
 *
 * @throws FileError `file.closed` if it was treated as abandoned meanwhile, and is being reclaimed
 */
export async function sealVersion(store: FileStore, place: VersionPlace, signal: Signal): Promise<FileRow> {
  const { path, version } = place;
  const { own, older } = await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const own = await context.find(store.rows.FileRow, fileKey(store, place), { signal });
    if (own?.state !== "writing") throw closed(place);
    const others = await currentVersions(store, context, path).toArray({ signal });
    const isNewest = others.every((other) => other.version < version);
    const now = nowOf(store);
    Object.assign(own, { state: isNewest ? "current" : "deleted", versionCreatedAt: now, updatedAt: now });
    if (others[0] !== undefined) own.createdAt = others[0].createdAt;
    if (!isNewest) own.deletedAt = now;
    const older = isNewest ? others : [];
    for (const other of older) Object.assign(other, { state: "deleted", deletedAt: now });
    const isSealed = await saveOnce(context, { place, what: "the end of the write", signal });
    return isSealed ? { own, older } : undefined;
  });
  await closeVersions(store, own.state === "deleted" ? [own] : older, signal);
  return own;
}
