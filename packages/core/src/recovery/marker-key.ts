import { markerPrefix } from "../model/entity-model.ts";

/** The RowKey of a new marker: 96 random bits, as 16 characters. */
export function newMarkerKey(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  return markerPrefix + random.toString("base64url", used, (used += idBytes));
}

const idBytes = 12;
/** Random bytes for many keys: to ask for those of one takes longer than all the rest of it. */
const random = Buffer.alloc(64 * idBytes);
let used = random.length;
