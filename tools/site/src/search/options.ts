import { aliases } from "./aliases.ts";

/** A section as VitePress adds it to the index. */
interface Section {
  /** `/partita/saving.html#update` */
  readonly id: string;
  readonly title: string;
  /** The headings above it; none for a page's own title. */
  readonly titles: readonly string[];
  readonly text: string;
}

/** The options of the search: its fields, and the order of results. */
export const miniSearchFor = (base: string) => ({
  options: {
    fields: ["aliases", "title", "titles", "text"],
    storeFields: ["title", "titles"],
    // VitePress sends functions to the browser as text. This one runs in the build alone, where sections are added.
    extractField: (section: Section, field: string): string =>
      field === "aliases" ? aliasesOf(section, base) : (section[field as keyof Section] as string),
  },
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { aliases: 16, title: 6, titles: 2, text: 1 },
    // Guides come before lists and the reference. This runs in the browser, without names from outside the function.
    boostDocument: (id: string): number => {
      if (/\/(?:reference|benchmarks)\//.test(id)) return 0.25;
      if (/\/(?:errors|commands|examples|packages|coming-from)\//.test(id)) return 0.5;
      return /\/(?:architecture|contributing|security|benchmarks)\.html/.test(id) ? 0.4 : 1;
    },
  },
});

/** Additional search words for a section. */
function aliasesOf({ id, titles }: Section, base: string): string {
  const [, anchor = ""] = id.split("#");
  const found = Object.entries(aliases).filter(([target]) => {
    const [page, heading] = target.split("#");
    return page === pathOf(id, base) && (heading === undefined ? titles.length === 0 : heading === anchor);
  });
  return found.map(([, words]) => words).join(" ");
}

/** The path of a section's page. */
export const pathOf = (id: string, base: string): string =>
  id
    .slice(base.length)
    .replace(/#.*$/, "")
    .replace(/\.html$/, "")
    .replace(/(^|\/)$/, "$1index");
