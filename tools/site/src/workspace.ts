import { join } from "node:path";

/** The folder that holds `docs`, `packages` and `examples`. */
export const workspace: string = join(import.meta.dirname, "../../..");
const site = join(workspace, "tools/site");

/** Where the pages are put together, as VitePress reads them. */
export const pagesFolder: string = join(site, "temp/pages");
/** What VitePress is started in: it holds `.vitepress`. */
export const siteFolder: string = site;
