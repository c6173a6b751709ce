import { type Page, titleOf } from "./pages/page.ts";
import { type Group, shortTitles } from "./sidebar-order.ts";

/** One line of the sidebar, as VitePress takes it. */
export interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
  readonly collapsed?: boolean;
}

/** The link to the reference, which has no page of its own among the others. */
const reference: SidebarItem = { text: "Reference", link: "/reference/" };

/**
 * The sidebars by path: the main one, with all groups in order and unlisted pages at the end, and one for each group that is
 * apart.
 */
export function guideSidebars(
  pages: readonly Page[],
  order: readonly Group[],
): Record<string, readonly SidebarItem[]> {
  const groups = groupPages(pages, order);
  const apart = groups.filter(({ group }) => group.isApart === true);
  const own = apart.map(({ group, pages: inside }): [string, SidebarItem[]] => [
    `/${group.paths[0]}`,
    [
      { text: "All guides", link: "/keys" },
      { text: group.title, items: inside.map(lineOf) },
    ],
  ]);
  const top = groups.filter(({ group }) => group.within === undefined);
  return { ...Object.fromEntries(own), "/": top.map((each) => itemOf(each, groups)) };
}

function itemOf({ group, pages }: GroupedPages, all: readonly GroupedPages[]): SidebarItem {
  const below = all
    .filter((each) => each.group.within === group.title)
    .flatMap((each) =>
      each.group.isApart === true ? each.pages.slice(0, 1).map(lineOf) : [itemOf(each, all)],
    );
  return {
    text: group.title,
    ...(group.isFolded === true && { collapsed: true }),
    items: [...(group.title === "Look up" ? [reference] : []), ...pages.map(lineOf), ...below],
  };
}

const lineOf = (page: Page): SidebarItem => ({
  text: shortTitles[page.path] ?? titleOf(page).replace(/^(Coming from|Example:) /, ""),
  link: `/${page.path.replace(/(^|\/)index$/, "$1")}`,
});

/** A group with its pages. */
export interface GroupedPages {
  readonly group: Group;
  readonly pages: readonly Page[];
}

/** Every page but the home page in its group; groups without pages are left out, unless others are in them. */
export function groupPages(pages: readonly Page[], order: readonly Group[]): GroupedPages[] {
  const left = new Map(pages.filter(({ path }) => path !== "index").map((page) => [page.path, page]));
  const groups = order.map((group) => {
    const inside = group.paths.flatMap((path) =>
      path.endsWith("/")
        ? [...left.keys()].filter((each) => each.startsWith(path)).toSorted(listFirst)
        : [path],
    );
    const found = inside.flatMap((path) => left.get(path) ?? []);
    for (const { path } of found) left.delete(path);
    return { group, pages: found };
  });
  const all = [...groups, { group: { title: "More", paths: [] }, pages: [...left.values()] }];
  const holds = ({ title }: Group): boolean =>
    groups.some(({ group, pages: inside }) => group.within === title && inside.length > 0);
  return all.filter(({ group, pages: inside }) => inside.length > 0 || holds(group));
}

const listFirst = (a: string, b: string): number =>
  Number(b.endsWith("/index")) - Number(a.endsWith("/index"));
