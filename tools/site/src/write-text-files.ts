import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { llmsFullText, llmsText } from "./llms-text.ts";
import { withSiteLinks } from "./pages/links.ts";
import type { Page } from "./pages/page.ts";
import { sidebarOrder } from "./sidebar-order.ts";

/**
 * Writes text files next to the site's pages: each page in Markdown, `llms.txt` and `llms-full.txt`.
 *
 * @param base - the base path of the site: `/`, `/partita/`
 */
export function writeTextFiles(pages: readonly Page[], folder: string, base: string): void {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const linked = pages.map((page) => ({ ...page, text: withSiteLinks(page, bySource, base) }));
  for (const { path, text } of linked) write(join(folder, `${path}.md`), text);
  write(join(folder, "llms.txt"), llmsText(linked, sidebarOrder, base));
  write(join(folder, "llms-full.txt"), llmsFullText(linked, sidebarOrder));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
