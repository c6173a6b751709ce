import { endOfText } from "./scan-values.ts";

const [quote, openingBrace, closingBrace] = [0x22, 0x7b, 0x7d];

/** The first byte behind the JSON object that begins here; undefined where none ends. Nothing else of it is checked. */
export function endOfRow(bytes: Buffer, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfText(bytes, at + 1);
      if (at === -1) return undefined;
    } else if (byte === openingBrace) depth++;
    else if (byte === closingBrace && --depth === 0) return at + 1;
    if (depth === 0) return undefined;
  }
  return undefined;
}
