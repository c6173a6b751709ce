import type { SidebarItem } from "../sidebar.ts";
import { areas } from "./pages/areas.ts";

/** The sidebar of the pages about errors: the areas, each with its codes. */
export const errorSidebar = (): SidebarItem[] => [
  { text: "Errors", link: "/errors/" },
  ...areas.map(({ title, pages }) => ({
    text: title,
    collapsed: true,
    items: Object.keys(pages).map((code) => ({ text: code, link: `/errors/${code}` })),
  })),
];
