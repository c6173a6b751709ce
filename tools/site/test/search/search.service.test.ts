import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer } from "vitepress";
import { readPages } from "../../src/pages/read-pages.ts";
import { expected, wrongResults } from "../../src/search/first-results.ts";
import { siteFolder } from "../../src/workspace.ts";
import { writePages } from "../../src/write-pages.ts";

// VitePress's own index, over all pages but the reference, which takes a minute to make: the build searches that, too.

const folder = join(siteFolder, "temp/search-test");
const pages = readPages();
const config = `
  import { miniSearchFor } from "../../../src/search/options.ts";
  import { anchorOf } from "../../../src/pages/links.ts";
  export default {
    srcDir: "pages",
    markdown: { anchor: { slugify: anchorOf } },
    themeConfig: { search: { provider: "local", options: { miniSearch: miniSearchFor("/") } } },
  };`;

let server: Awaited<ReturnType<typeof createServer>>;
let index: string;

beforeAll(async () => {
  writePages(pages, join(folder, "pages"));
  mkdirSync(join(folder, ".vitepress"), { recursive: true });
  writeFileSync(join(folder, ".vitepress/config.ts"), config);
  server = await createServer(folder);
  const loaded = await server.pluginContainer.load("/@localSearchIndexroot");
  const code = typeof loaded === "string" ? loaded : loaded?.code;
  index = JSON.parse(code?.replace(/^export default /, "") ?? "") as string;
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test("what readers search for finds the page that explains it first", () => {
  const paths = new Set(pages.map(({ path }) => path));

  expect(wrongResults(index, paths, "/")).toEqual([]);
  expect(Object.values(expected).filter((path) => !paths.has(path))).toEqual([]);
});
