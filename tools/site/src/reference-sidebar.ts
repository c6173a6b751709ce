import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SidebarItem } from "./sidebar.ts";

/**
 * The folders of an entry's pages that the sidebar lists, in order. Interfaces and types are linked from
 * these pages, and from the entry's first page, which lists everything.
 */
const kinds: Readonly<Record<string, string>> = {
  classes: "Classes",
  functions: "Functions",
  variables: "Values",
};

/**
 * The sidebars of the reference, by path: one for each entry, with its own pages only, because all pages
 * would make every sidebar too large.
 *
 * @param folder - the output of `writeReference`
 */
export function referenceSidebars(folder: string): Record<string, SidebarItem[]> {
  const files = globSync("@partita/**/index.md", { cwd: folder }).map((path) => path.replaceAll("\\", "/"));
  const entries = files.map(dirname).toSorted();
  const all = entries.map((entry) => ({ text: entry, link: `/reference/${entry}/` }));
  const ofEntries = entries.map((entry): [string, SidebarItem[]] => {
    const others = all.filter(({ text }) => text !== entry);
    return [
      `/reference/${entry}/`,
      [
        { text: entry, link: `/reference/${entry}/`, items: pagesOf(folder, entry) },
        { text: "Other entries", collapsed: true, items: others },
      ],
    ];
  });
  return Object.fromEntries([["/reference/", [{ text: "Reference", items: all }]], ...ofEntries]);
}

/** The pages of one entry, by kind. */
function pagesOf(folder: string, entry: string): SidebarItem[] {
  return Object.entries(kinds).flatMap(([kind, text]) => {
    const names = globSync(`${kind}/*.md`, { cwd: join(folder, entry) }).map((path) => basename(path, ".md"));
    const items = names
      .toSorted()
      .map((name) => ({ text: name.replace(/_$/, ""), link: `/reference/${entry}/${kind}/${name}` }));
    return items.length === 0 ? [] : [{ text, items }];
  });
}
