import { type Clock, monotonicTime } from "../../storage/clock.ts";
import { partitionId } from "../../values/keys/key-rules.ts";
import { sharedBy } from "../../storage/shared-state.ts";
import type { Retries } from "../../storage/with-retry.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { markerLifeMs } from "../../model/codec/commit-rows.ts";

/** A marker of an earlier transaction that was not deleted yet. */
interface LeftMarker {
  readonly rowKey: string;
  readonly clock: Clock;
  readonly writtenAt: number;
}

/** Markers written through one storage, by table and partition, oldest first. */
interface LeftMarkers {
  readonly byPartition: Map<string, LeftMarker[]>;
  count: number;
}

/** Markers that are remembered for each storage; the rest is left to `sweepMarkers()`. */
const maxRemembered = 10_000;

/** Expired markers that one transaction deletes. */
const maxRemoved = 4;

/** Shared by all contexts of a storage: one context deletes the markers that another one left. */
const markersIn = sharedBy((): LeftMarkers => ({ byPartition: new Map(), count: 0 }));

/** Remembers a marker, so a later transaction of its partition can delete it. */
export function rememberMarker({ shared, clock }: Retries, table: string, key: EntityKey): void {
  const markers = markersIn(shared);
  if (markers.count >= maxRemembered) forgetOne(markers);
  const id = partitionId(table, key.partitionKey);
  const marker = { rowKey: key.rowKey, clock, writtenAt: monotonicTime(clock) };
  const others = markers.byPartition.get(id);
  if (others === undefined) markers.byPartition.set(id, [marker]);
  else others.push(marker);
  markers.count++;
}

/** Drops the oldest marker of the partition that came first: it may never be written again. */
function forgetOne(markers: LeftMarkers): void {
  const [first] = markers.byPartition;
  if (first === undefined) return;
  const [id, own] = first;
  own.shift();
  markers.count--;
  if (own.length === 0) markers.byPartition.delete(id);
}

/** The RowKeys of a few expired markers of a partition, each returned once. */
export function takeExpiredMarkers(
  { shared }: Retries,
  table: string,
  key: EntityKey,
  room: number,
): readonly string[] {
  const markers = markersIn(shared);
  const id = partitionId(table, key.partitionKey);
  const own = markers.byPartition.get(id);
  if (own === undefined) return [];
  const isYoung = ({ clock, writtenAt }: LeftMarker): boolean =>
    monotonicTime(clock) < writtenAt + markerLifeMs;
  const firstYoung = own.findIndex(isYoung);
  const expired = firstYoung < 0 ? own.length : firstYoung;
  const taken = own.splice(0, Math.min(expired, maxRemoved, Math.max(0, room)));
  markers.count -= taken.length;
  if (own.length === 0) markers.byPartition.delete(id);
  return taken.map(({ rowKey }) => rowKey);
}
