import type { FileRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";

/** A range of paths: an inclusive start and an exclusive end. */
export interface PathRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The current version of each path of a range, in the order of paths. */
export async function* listFiles(
  store: FileStore,
  range: PathRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileRow, undefined> {
  const { zones } = store;
  const zonesOfRange = zones.paths.filter((zone) => zones.reaches(zone, range.from, range.to));
  const readers = zonesOfRange.map((zone) => listZone(store, zone, range, signal));
  try {
    // The next file of each zone. The zones must be merged, because their paths may interleave.
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    for (;;) {
      let first: number | undefined;
      for (const [i, head] of heads.entries()) {
        if (head.done === true) continue;
        const least = first === undefined ? undefined : heads[first]?.value;
        if (least === undefined || head.value.path < least.path) first = i;
      }
      if (first === undefined) return;
      yield heads[first]?.value as FileRow;
      heads[first] = (await readers[first]?.next()) as IteratorResult<FileRow, undefined>;
    }
  } finally {
    for (const reader of readers) await reader.return(undefined);
  }
}

async function* listZone(
  store: FileStore,
  zone: string,
  { from, to }: PathRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileRow, undefined> {
  const files = contextOf(store)
    .query(store.rows.FileRow)
    .where((file) => [
      file.zone.eq(zone),
      file.state.eq("current"),
      ...(from === undefined ? [] : [file.path.ge(from)]),
      ...(to === undefined ? [] : [file.path.lt(to)]),
    ])
    .mergeOption("noTracking");
  let last: string | undefined;
  for await (const file of store.buckets === 1
    ? files.stream({ signal })
    : files.inRowKeyOrder().stream({ signal })) {
    // The newest version is first.
    if (file.path !== last) yield file;
    last = file.path;
  }
}
