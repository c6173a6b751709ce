/** Characters of a cell at most: a row's text may have 32,768, and a line shows few. */
const maxShown = 300;

// Controls, and what turns the direction of text or cannot be seen: a stored value must not look like another one.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text as it can be shown in one line: what cannot be seen is written as its code. */
export function printable(text: string): string {
  const short = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return short.replace(invisible, (found) => visible[found] ?? `⟨${found.codePointAt(0)?.toString(16)}⟩`);
}

const visible: Readonly<Record<string, string>> = { "\n": "↵", "\t": "⇥" };
