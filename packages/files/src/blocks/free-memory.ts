import { getHeapSpaceStatistics } from "node:v8";

/**
 * Frees the memory of bytes that no other code holds. Otherwise the runtime collects arrays only after tens
 * of megabytes, and recycled memory does not have to come from the system.
 *
 * @param bytes - the only bytes in their memory
 */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  // Shared memory cannot be transferred.
  if ("transfer" in buffer) buffer.transfer(0);
};

/** Bytes that may be handed out between two collections of young objects. */
const givenAtMost = 10 * 1024 * 1024;
let givenAway = 0;

/**
 * Call this for bytes that are handed to other code, for the collector to free. V8 starts a collection of
 * young objects by their size on its heap, without the memory of arrays, so up to 64 MiB may remain until a
 * full collection. This function fills the space of young objects from time to time, which starts a
 * collection of about a millisecond.
 */
export function giveAway(bytes: number): void {
  givenAway += bytes;
  if (givenAway < givenAtMost) return;
  givenAway = 0;
  for (let left = roomOfYoungObjects(); left > 0; left -= objectBytes)
    // oxlint-disable-next-line unicorn/no-new-array -- its memory is what is wanted
    last.object = new Array<number>(objectBytes / 8);
  last.object = undefined;
}

/** Free bytes of the young generation. 0 if the runtime does not report them. */
function roomOfYoungObjects(): number {
  try {
    const spaces = getHeapSpaceStatistics();
    return spaces.find(({ space_name: name }) => name === "new_space")?.space_available_size ?? 0;
  } catch {
    return 0;
  }
}

const objectBytes = 16 * 1024;

/** Keeps the object reachable, because an unreachable one might not be allocated at all. */
const last: { object: readonly number[] | undefined } = { object: undefined };
