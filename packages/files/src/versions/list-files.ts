import { contextOf, type FileStore } from "../store/file-store.ts";
import type { FileInfo } from "./file-info.ts";
import { foundHead } from "./find-version.ts";

/** A range of paths: an inclusive start and an exclusive end. */
export interface PathRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The current version of each path of a range, in the order of paths. */
export async function* listFiles(
  store: FileStore,
  { from, to }: PathRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileInfo, undefined> {
  const heads = contextOf(store)
    .query(store.rows.HeadRow)
    .where((head) => [
      head.version.ge(1),
      // Every path starts with it.
      head.path.ge(from ?? "/"),
      ...(to === undefined ? [] : [head.path.lt(to)]),
    ])
    .mergeOption("noTracking");
  const isOnePartition = store.buckets * store.zones.paths.length === 1;
  for await (const head of (isOnePartition ? heads : heads.inRowKeyOrder()).stream({ signal })) {
    const found = foundHead(head);
    if (found !== undefined) yield found.info;
  }
}
