import { join } from "node:path";
import { defineConfig } from "vitepress";
import { errorSidebar } from "../src/errors/error-sidebar.ts";
import { anchorOf } from "../src/pages/links.ts";
import { readPages } from "../src/pages/read-pages.ts";
import { referenceSidebars } from "../src/reference-sidebar.ts";
import { sidebarOrder } from "../src/sidebar-order.ts";
import { guideSidebar } from "../src/sidebar.ts";
import { writeTextFiles } from "../src/write-text-files.ts";

const pages = readPages();

export default defineConfig({
  title: "Partita",
  description: "Typed entities for Azure Table Storage, Cosmos DB for Table and one local file",
  lang: "en",
  srcDir: "temp/pages",
  outDir: "dist",
  cacheDir: "temp/cache",
  transformHead: ({ siteData }) => [
    ["link", { rel: "icon", href: `${siteData.base}logo.svg`, type: "image/svg+xml" }],
  ],
  // The sidebars in a file of their own, and not in each of 800 pages.
  metaChunk: true,
  markdown: {
    // As GitHub makes them, so that links to headings work in both places.
    anchor: { slugify: anchorOf },
    theme: { light: "github-light", dark: "github-dark" },
  },
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath.startsWith("reference/")) frontmatter["pageClass"] = "reference";
  },
  themeConfig: {
    logo: "/logo.svg",
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guides", link: "/keys-and-queries" },
      { text: "Cookbook", link: "/cookbook" },
      { text: "Reference", link: "/reference/" },
      { text: "Errors", link: "/errors/" },
    ],
    sidebar: {
      ...referenceSidebars(join(import.meta.dirname, "../temp/pages/reference")),
      "/errors/": errorSidebar(),
      "/": guideSidebar(pages, sidebarOrder),
    },
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // A guide that explains a thing comes before the reference of its parts.
        miniSearch: {
          searchOptions: { boostDocument: (id: string) => (id.includes("/reference/") ? 0.4 : 1) },
        },
      },
    },
    notFound: {
      quote: "If an error message led you here: a service sent this code, and it has no page of its own.",
    },
    footer: { message: "MIT license" },
  },
  // The largest file is the index of the search, which is loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  buildEnd({ outDir, site }) {
    writeTextFiles(pages, outDir, site.base);
  },
});
