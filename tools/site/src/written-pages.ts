import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "./pages/page.ts";
import { siteFolder } from "./workspace.ts";

/** Passed from the command to VitePress's configuration through a file, because VitePress loads that separately. */
export interface Written {
  readonly pages: readonly Page[];
  /** Where the site is: `/`, `/partita/` */
  readonly base: string;
}

const file = join(siteFolder, "temp/written.json");

export function handOver(written: Written): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(written));
}

export const takeOver = (): Written => JSON.parse(readFileSync(file, "utf8")) as Written;
