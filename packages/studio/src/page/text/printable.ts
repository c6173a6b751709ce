/** Maximum characters of a cell. A row's text may have 32,768, but a line shows few. */
const maxShown = 300;

// Control characters, blanks other than a space, and characters that are invisible or change the text
// direction. A stored value must not look like another one.
const invisible =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|^ | (?= *$)/gu;

const visible: Readonly<Record<string, string>> = { "\n": "↵", "\t": "⇥", " ": "␣" };

/** A part of a text: as stored, or the code of an invisible character. */
export interface TextPart {
  readonly text: string;
  readonly isCode: boolean;
}

/** The parts of a text for one line. */
export function textParts(text: string): readonly TextPart[] {
  const short = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: found, index } of short.matchAll(invisible)) {
    if (index > from) parts.push({ text: short.slice(from, index), isCode: false });
    parts.push({ text: visible[found] ?? `⟨${found.codePointAt(0)?.toString(16)}⟩`, isCode: true });
    from = index + found.length;
  }
  if (from < short.length) parts.push({ text: short.slice(from), isCode: false });
  return parts;
}

/** Text for one line, with invisible characters replaced by their codes. */
export const printable = (text: string): string =>
  textParts(text)
    .map((part) => part.text)
    .join("");
