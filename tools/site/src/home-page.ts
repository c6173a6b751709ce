import type { Page } from "./pages/page.ts";

/** The beginning of the front page. */
interface Opening {
  readonly name: string;
  /** The first paragraph: a few words. */
  readonly motto: string;
  /** The second paragraph: a one-sentence description. */
  readonly sentence: string;
  /** Everything after it. */
  readonly rest: string;
}

/**
 * Makes the front page of the site of the guide `index.md`: its heading and its first two paragraphs become the large
 * words at the top, and the rest stands below them.
 *
 * @throws {Error} when the guide does not begin with a heading and two paragraphs
 */
export function homePage(page: Page): string {
  const { name, motto, sentence, rest } = openingOf(page);
  const front = {
    layout: "home",
    hero: {
      name,
      text: motto,
      tagline: sentence,
      image: { src: "/logo.svg", alt: "" },
      actions: [
        { theme: "brand", text: "Tutorial", link: "/tutorial" },
        { theme: "alt", text: "Recipes", link: "/recipes/" },
        { theme: "alt", text: "Reference", link: "/reference/" },
        { theme: "alt", text: "Playground", link: "/playground" },
      ],
    },
  };
  return `---\n${JSON.stringify(front)}\n---\n\n${rest}`;
}

/** @throws {Error} as `homePage` */
export function openingOf({ source, text }: Page): Opening {
  const begin = /^# (.+)\n\n([^#`\n][\s\S]*?)\n\n([^#`\n][\s\S]*?)\n\n/.exec(text);
  if (begin === null) throw new Error(`${source} must begin with a heading and two paragraphs.`);
  const [start, name = "", motto = "", sentence = ""] = begin;
  return { name, motto: oneLine(motto), sentence: oneLine(sentence), rest: text.slice(start.length) };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
