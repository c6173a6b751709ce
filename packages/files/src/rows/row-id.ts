import { type KeyFormat, padded64 } from "@partita/core/keys";

// The rows of a version: the count of its deleted blocks, its state, and its blocks, in this order.

/** The id of the row that counts deleted blocks. */
export const deletedId = -2n;

/** The id of the row with the state of the blocks. */
export const stateId = -1n;

const blockId = padded64(19);
const textOf = new Map([
  [deletedId, "$deleted"],
  [stateId, "$state"],
]);
const idOf = new Map(Array.from(textOf, ([id, text]) => [text, id]));

/** The id of a block, or of one of the rows before the blocks. */
export const rowId: KeyFormat<bigint> = {
  ...blockId,
  format: "rowId",
  accepts: "an id from -2 to 2^63 - 1",
  width: undefined,
  encode: (id) => textOf.get(id) ?? blockId.encode(id),
  decode: (text) => idOf.get(text) ?? blockId.decode(text),
  range(operator, id) {
    const text = rowId.encode(id as bigint);
    if (text === undefined || operator === "startsWith") return undefined;
    const bound = { text, inclusive: operator !== "gt" && operator !== "lt" };
    return {
      ...(operator !== "lt" && operator !== "le" && { lower: bound }),
      ...(operator !== "gt" && operator !== "ge" && { upper: bound }),
    };
  },
};
