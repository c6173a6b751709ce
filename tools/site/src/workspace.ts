import { join } from "node:path";

/** The folder with `docs`, `packages` and `examples`. */
export const workspace: string = join(import.meta.dirname, "../../..");
const site = join(workspace, "tools/site");

/** The folder of the pages for VitePress. */
export const pagesFolder: string = join(site, "temp/pages");
/** The working folder of VitePress, which contains `.vitepress`. */
export const siteFolder: string = site;
