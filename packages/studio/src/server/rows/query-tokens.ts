import type { FilterToken } from "@partita/core/internal";
import type { StudioCore } from "../core.ts";

/** A token of a filter, or a comma of a list. */
export type QueryToken = FilterToken | { readonly type: "," };

/** The largest Int32, which a filter writes without `L`. */
const maxInt32 = 2 ** 31;

/** A text in quotation marks; a comma; a whole number of ten digits or more, which may be too large for an Int32. */
const pieces = /'(?:[^']|'')*'|,|(?<![\p{L}\p{N}_.'])-?\d{10,}(?![\p{L}\p{N}_.'])/gu;

/** Splits a query into tokens. @throws QueryError `query.filter-syntax` */
export function queryTokens(core: StudioCore, text: string): QueryToken[] {
  const tokens: QueryToken[] = [];
  let start = 0;
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const token = pieceToken(core, piece);
    if (token === undefined) continue;
    tokens.push(...core.tokenize(text.slice(start, index), start), token);
    start = index + piece.length;
  }
  return [...tokens, ...core.tokenize(text.slice(start), start)];
}

/** Undefined for a piece that the core reads itself. */
function pieceToken(core: StudioCore, piece: string): QueryToken | undefined {
  if (piece === ",") return { type: "," };
  if (piece.startsWith("'") || Math.abs(Number(piece)) < maxInt32) return undefined;
  const value = core.typedValue(piece, "Edm.Int64")?.value;
  return value === undefined ? undefined : { type: "literal", literal: { edm: "Edm.Int64", value } };
}
