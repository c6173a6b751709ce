import type { Page } from "./pages/page.ts";

/**
 * Makes the front page of the site of the guide `index.md`: its heading and its first two paragraphs become the large
 * words at the top, and the rest stands below them.
 *
 * @throws {Error} when the guide does not begin with a heading and two paragraphs
 */
export function homePage(page: Page): string {
  const begin = /^# (.+)\n\n([^#`\n][\s\S]*?)\n\n([^#`\n][\s\S]*?)\n\n/.exec(page.text);
  if (begin === null) throw new Error(`${page.source} must begin with a heading and two paragraphs.`);
  const [start, name, text, tagline] = begin;
  const front = {
    layout: "home",
    hero: {
      name,
      text: oneLine(text),
      tagline: oneLine(tagline),
      image: { src: "/logo.svg", alt: "" },
      actions: [
        { theme: "brand", text: "Tutorial", link: "/tutorial" },
        { theme: "alt", text: "Cookbook", link: "/cookbook" },
        { theme: "alt", text: "Reference", link: "/reference/" },
      ],
    },
  };
  return `---\n${JSON.stringify(front)}\n---\n\n${page.text.slice(start.length)}`;
}

const oneLine = (text = ""): string => text.replaceAll(/\s+/g, " ").trim();
