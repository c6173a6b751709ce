import { anchorOf } from "../pages/links.ts";
import type { SidebarItem } from "../sidebar.ts";
import { areas } from "./pages/areas.ts";

/** The sidebar of the pages about errors: the areas. Their overview lists all codes, which would make every page heavy. */
export const errorSidebar = (): SidebarItem[] => [
  { text: "All guides", link: "/keys" },
  {
    text: "Errors",
    link: "/errors/",
    items: areas.map(({ title }) => ({ text: title, link: `/errors/#${anchorOf(title)}` })),
  },
];
