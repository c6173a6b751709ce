import { annotationOf, isSystemName } from "../../values/edm/stored-entity.ts";
import type { UserProperties } from "../../storage/check-write.ts";

/*
 * Writes the members of a merge into the JSON of a stored row without parsing it to objects. A row is one object of
 * texts, numbers and booleans, and no name has a character that JSON escapes. So a quoted name with a colon after it
 * occurs only at its member. An annotation comes right before its member.
 */

/** Part of the JSON, and what replaces it. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns the JSON of a row with members set: existing ones at their positions, new ones at the end.
 *
 * @throws SyntaxError if the row's JSON is incomplete
 */
export function setMembers(row: Uint8Array, members: UserProperties): Buffer {
  const json = Buffer.from(row.buffer, row.byteOffset, row.length);
  const edits: Edit[] = [];
  let added = "";
  for (const name in members) {
    if (isSystemName(name)) continue;
    const place = placeOf(json, name);
    const text = printMember(name, members);
    if (place === undefined) added += `,${text}`;
    else edits.push({ ...place, text });
  }
  if (edits.length > 1) edits.sort((a, b) => a.start - b.start);
  const end = json.length - 1;
  if (added !== "") edits.push({ start: end, end, text: end === 1 ? added.slice(1) : added });
  return edits.length === 0 ? json : applyEdits(json, edits);
}

function printMember(name: string, members: UserProperties): string {
  const annotation = members[annotationOf(name)];
  const member = `"${name}":${JSON.stringify(members[name])}`;
  return annotation === undefined ? member : `"${annotationOf(name)}":"${annotation}",${member}`;
}

function applyEdits(json: Buffer, edits: readonly Edit[]): Buffer {
  let { length } = json;
  for (const { start, end, text } of edits) length += start - end + Buffer.byteLength(text);
  const edited = Buffer.allocUnsafe(length);
  let [from, to] = [0, 0];
  for (const { start, end, text } of edits) {
    to += json.copy(edited, to, from, start);
    to += edited.write(text, to);
    from = end;
  }
  json.copy(edited, to, from);
  return edited;
}

const [quote, backslash, comma, brace] = [0x22, 0x5c, 0x2c, 0x7d];

/** The position of a member, with its annotation. */
function placeOf(json: Buffer, name: string): { readonly start: number; readonly end: number } | undefined {
  const sought = `"${name}":`;
  const at = json.indexOf(sought);
  if (at < 0) return undefined;
  const end = endOfValue(json, at + Buffer.byteLength(sought));
  // A quote before the member ends a text: the annotation.
  const annotation = json[at - 2] === quote ? json.indexOf(`"${annotationOf(name)}":`) : -1;
  return { start: annotation < 0 ? at : annotation, end };
}

function endOfValue(json: Buffer, start: number): number {
  let at = start;
  if (json[at] !== quote) {
    while (at < json.length && json[at] !== comma && json[at] !== brace) at++;
    return at;
  }
  do at = json.indexOf(quote, at + 1);
  while (at > 0 && isEscaped(json, at));
  if (at < 0) throw new SyntaxError("A stored row has a text without an end.");
  return at + 1;
}

function isEscaped(json: Buffer, at: number): boolean {
  let from = at;
  while (json[from - 1] === backslash) from--;
  return (at - from) % 2 === 1;
}
