import { type Page, titleOf } from "./pages/page.ts";
import { type Group, shortTitles } from "./sidebar-order.ts";

/** One line of the sidebar, as VitePress takes it. */
export interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
  readonly collapsed?: boolean;
}

/** The groups that begin folded. */
const folded = ["Commands", "Examples", "Packages", "Project"];

/** The sidebar of the guides: the groups in order, and what is in none of them at the end. */
export function guideSidebar(pages: readonly Page[], order: readonly Group[]): SidebarItem[] {
  const groups = groupPages(pages, order);
  return groups.map(({ title, pages: inside }) => ({
    text: title,
    ...(folded.includes(title) && { collapsed: true }),
    items: inside.map((page) => ({
      text: shortTitles[page.path] ?? titleOf(page).replace(/^(Coming from|Example:) /, ""),
      link: `/${page.path}`,
    })),
  }));
}

/** Every page but the home page in its group; groups without pages are left out. */
export function groupPages(
  pages: readonly Page[],
  order: readonly Group[],
): { title: string; pages: Page[] }[] {
  const left = new Map(pages.filter(({ path }) => path !== "index").map((page) => [page.path, page]));
  const groups = order.map(({ title, paths }) => {
    const inside = paths.flatMap((path) =>
      path.endsWith("/") ? [...left.keys()].filter((each) => each.startsWith(path)) : [path],
    );
    const found = inside.flatMap((path) => left.get(path) ?? []);
    for (const { path } of found) left.delete(path);
    return { title, pages: found };
  });
  const all = [...groups, { title: "More", pages: [...left.values()] }];
  return all.filter(({ pages: inside }) => inside.length > 0);
}
