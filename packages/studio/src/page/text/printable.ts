/** Maximum characters of a cell. A row's text may have 32,768, but a line shows few. */
const maxShown = 300;

// Control characters, and characters that are invisible or change the text direction. A stored value must not
// look like another one.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text for one line, with invisible characters replaced by their codes. */
export function printable(text: string): string {
  const short = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return short.replace(invisible, (found) => visible[found] ?? `⟨${found.codePointAt(0)?.toString(16)}⟩`);
}

const visible: Readonly<Record<string, string>> = { "\n": "↵", "\t": "⇥" };
