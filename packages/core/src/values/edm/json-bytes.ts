const [quote, backslash, openingBrace, closingBrace] = [0x22, 0x5c, 0x7b, 0x7d];

/** UTF-8 bytes as text, without copying them first. */
export const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

/** The quotation mark that ends a JSON text; undefined if there is none. */
export function endOfText(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(quote, from); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let first = at;
    while (bytes[first - 1] === backslash) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return undefined;
}

/** The first byte after the JSON object that starts here; undefined if it does not end. Its content is not checked. */
export function endOfRow(bytes: Buffer, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfText(bytes, at + 1);
      if (end === undefined) return undefined;
      at = end;
    } else if (byte === openingBrace) depth++;
    else if (byte === closingBrace && --depth === 0) return at + 1;
    if (depth === 0) return undefined;
  }
  return undefined;
}
