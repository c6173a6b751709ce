/** One page of the site, in Markdown. */
export interface Page {
  /** Where it is from, relative to the workspace: `docs/indexes.md`. Links of other pages name it by this. */
  readonly source: string;
  /** Where it is on the site, without extension: `indexes`, `packages/core`. */
  readonly path: string;
  /** Its Markdown in the workspace. */
  readonly text: string;
}

/** The first heading of a page; its path where it has none. */
export const titleOf = ({ path, text }: Page): string =>
  (/^# (.+)$/m.exec(text)?.[1] ?? path).replaceAll("`", "");

/** The first sentence of a page, as plain text, for lists of pages. */
export function summaryOf({ text }: Pick<Page, "text">): string {
  const paragraph = withoutCode(text)
    .split(/\n\s*\n/)
    .find((block) => /^(?!\d+\. |[-*] )[^#|<>!\s]/.test(block));
  const plain = (paragraph ?? "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
  return /^.*?[.:](?= [A-Z]|$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
}

/** The text with blank lines instead of code blocks. Line numbers stay the same. */
export const withoutCode = (text: string): string =>
  text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, (block) => block.replaceAll(/[^\n]/g, ""));
