import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { errorSidebar } from "../src/errors/error-sidebar.ts";
import { openingOf } from "../src/home-page.ts";
import { descriptionOf, editPathOf, previewTags } from "../src/page-fields.ts";
import { anchorOf } from "../src/pages/links.ts";
import { readPublished, versionText } from "../src/published.ts";
import { referenceSidebars } from "../src/reference-sidebar.ts";
import { checkIndex } from "../src/search/check-index.ts";
import { miniSearchFor } from "../src/search/options.ts";
import { sidebarOrder } from "../src/sidebar-order.ts";
import { guideSidebars } from "../src/sidebar.ts";
import { pagesFolder } from "../src/workspace.ts";
import { writeTextFiles } from "../src/write-text-files.ts";
import { takeOver } from "../src/written-pages.ts";

const { pages, base } = takeOver();
const published = readPublished();
const byPath = new Map(pages.map((page) => [`${page.path}.md`, page]));

export default defineConfig({
  title: "Partita",
  description: "Typed entities for Azure Table Storage, Cosmos DB for Table and one local file",
  lang: "en",
  srcDir: "temp/pages",
  outDir: "dist",
  cacheDir: "temp/cache",
  transformHead: ({ siteData, pageData }) => [
    ["link", { rel: "icon", href: `${siteData.base}logo.svg`, type: "image/svg+xml" }],
    ...previewTags(siteData.title, pageData.title, pageData.description || siteData.description),
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
    const page = byPath.get(relativePath);
    const text = page?.text ?? readFileSync(join(pagesFolder, relativePath), "utf8");
    const editPath = page && editPathOf(page);
    if (editPath === undefined) frontmatter["editLink"] = false;
    const description = page?.path === "index" ? openingOf(page).sentence : descriptionOf({ text });
    return { description, filePath: editPath ?? relativePath };
  },
  themeConfig: {
    logo: "/logo.svg",
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guides", link: "/keys" },
      { text: "Recipes", link: "/recipes/" },
      { text: "Reference", link: "/reference/" },
      { text: "Errors", link: "/errors/" },
      { text: "Playground", link: "/playground" },
      { text: versionText(published), link: "/packages/core" },
    ],
    sidebar: {
      ...referenceSidebars(join(pagesFolder, "reference")),
      ...guideSidebars(pages, sidebarOrder),
      "/errors/": errorSidebar(),
    },
    outline: { level: [2, 3] },
    search: { provider: "local", options: { miniSearch: miniSearchFor(base) } },
    ...(published.address !== undefined && {
      editLink: { pattern: `${published.address}/edit/main/:path` },
    }),
    notFound: {
      quote: "If an error message led you here: a service sent this code, and it has no page of its own.",
    },
    footer: { message: "MIT license" },
  },
  // The largest file is the index of the search, which is loaded when you search.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  async buildEnd({ outDir, site }) {
    await checkIndex(outDir, new Set(pages.map(({ path }) => path)), site.base);
    writeTextFiles(pages, outDir, site.base);
  },
});
