/** Binary properties of one block's row. */
export const piecesOfBlock = 15;

/** Bytes of one property. Source: learn.microsoft.com "Understanding the Table service data model". */
export const pieceBytes = 65_536;

/** Bytes of the largest block: the capacity of its row. */
export const maxBlockBytes: number = piecesOfBlock * pieceBytes;
