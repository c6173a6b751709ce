import { type Idiom, idioms } from "./idioms.ts";
import { countWords, type Passage } from "./passage.ts";
import type { Texts } from "./texts.ts";

/** How often something stands in so many words. */
export interface Count {
  readonly found: number;
  readonly words: number;
}

/** The count of each idiom in each group of texts, and the words of all Markdown. */
export interface Measured {
  readonly markdown: number;
  readonly groups: Readonly<Record<string, Readonly<Record<string, Count>>>>;
}

export function measure(texts: Texts, markdown: number): Measured {
  const groups = Object.entries(texts).map(([group, passages]) => {
    const words = passages.reduce((sum, { text }) => sum + countWords(text), 0);
    const counts = idioms
      .filter((idiom) => isMeasuredIn(idiom, group))
      .map(({ name, pattern }) => {
        const found = passages.reduce((sum, { text }) => sum + Array.from(text.matchAll(pattern)).length, 0);
        return [name, { found, words }];
      });
    return [group, Object.fromEntries(counts) as Record<string, Count>];
  });
  return { markdown, groups: Object.fromEntries(groups) as Measured["groups"] };
}

/** Where an idiom stands: a line for each, with the words around it. */
export function placesOf({ pattern }: Idiom, passages: readonly Passage[]): string[] {
  return passages.flatMap(({ path, line, text }) =>
    Array.from(text.matchAll(pattern), ({ 0: whole, index }) => {
      const at = index + whole.length - whole.trimStart().length;
      const around = text.slice(Math.max(0, at - 30), at + whole.length + 40).replaceAll(/[\s¶]+/gu, " ");
      return `${path}:${line + text.slice(0, at).split("\n").length - 1}: ${around.trim()}`;
    }),
  );
}

export const per10000 = ({ found, words }: Count): number => (words === 0 ? 0 : (10_000 * found) / words);

export const isMeasuredIn = ({ groups }: Idiom, group: string): boolean => groups?.includes(group) ?? true;
