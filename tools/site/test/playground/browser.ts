import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { chromiumPath } from "@partita/test-support/chromium-path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};
const origin = "http://localhost";

/** A page of a built site, without a server. */
export interface OpenPage {
  readonly page: Page;
  /** The files that it has loaded, with their content. */
  readonly loaded: ReadonlyMap<string, Buffer>;
  /** Requests to anywhere else. */
  readonly elsewhere: readonly string[];
  /** Errors that scripts threw. */
  readonly errors: readonly string[];
}

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? "chromium", args: ["--no-sandbox"], timeout: 120_000 });

export async function openPlayground(
  browser: Browser,
  dist: string,
  { hash = "", dark = false, width = 1280 } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  // Only a page that hangs is ended: whether a test passes does not depend on time.
  page.setDefaultTimeout(120_000);
  const loaded = new Map<string, Buffer>();
  const elsewhere: string[] = [];
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await context.route("**/*", (route) => {
    const { origin: from, pathname } = new URL(route.request().url());
    const path = extname(pathname) === "" ? `${pathname}.html` : pathname;
    if (from !== origin) {
      elsewhere.push(route.request().url());
      return route.abort();
    }
    if (!(extname(path) in types)) return route.fulfill({ status: 404 });
    const body = readFileSync(join(dist, path));
    loaded.set(path, body);
    return route.fulfill({ body, contentType: types[extname(path)] ?? "" });
  });
  await page.goto(`${origin}/playground${hash}`);
  return { page, loaded, elsewhere, errors };
}

/** Barriers for people who see, hear or point otherwise, by axe: contrast, names, roles. */
export async function obstaclesIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run('.playground')")) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
