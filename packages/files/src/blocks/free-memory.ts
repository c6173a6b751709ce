import { getHeapSpaceStatistics } from "node:v8";

/**
 * Frees the memory of bytes that nobody else has: the runtime collects arrays when tens of megabytes of them are left, and
 * memory that is used again at once need not be asked of the system.
 *
 * @param bytes - alone in their memory
 */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  // Shared memory cannot be given away.
  if ("transfer" in buffer) buffer.transfer(0);
};

/** Bytes that are given away between two collections of young objects. */
const givenAtMost = 10 * 1024 * 1024;
let givenAway = 0;

/**
 * To be called for bytes that are given away, which the collector has to free. V8 counts the objects of its heap towards the next
 * collection of young objects, and not the memory of arrays: 64 MiB of it may be left until a collection of everything. So what is left
 * of the room of young objects is used up from time to time; such a collection takes about a millisecond.
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

/** Bytes that are left; 0 where the runtime does not say it, and frees what is left when it wants to. */
function roomOfYoungObjects(): number {
  try {
    const spaces = getHeapSpaceStatistics();
    return spaces.find(({ space_name: name }) => name === "new_space")?.space_available_size ?? 0;
  } catch {
    return 0;
  }
}

const objectBytes = 16 * 1024;

/** What nobody could reach might not be allocated at all. */
const last: { object: readonly number[] | undefined } = { object: undefined };
