import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumPath } from "@partita/test-support/chromium-path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const screenshots = fileURLToPath(new URL("../temp/studio/", import.meta.url));

/** A page that reports whatever goes wrong in it. */
export interface OpenPage {
  readonly page: Page;
  /** Errors that scripts threw, and what the content security policy refused. */
  readonly problems: readonly string[];
  /** Keeps a picture in `temp/studio`. */
  readonly picture: (name: string) => Promise<void>;
}

/** What stands in the way of people who see, hear or point otherwise, by axe: contrast, names, roles. */
export async function obstaclesIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? "chromium", args: ["--no-sandbox"], timeout: 120_000 });

export async function openPage(
  browser: Browser,
  url: string,
  colorScheme: "light" | "dark" = "light",
  viewport: { readonly width: number; readonly height: number } = { width: 1280, height: 780 },
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  // Only a page that hangs is ended: whether a test passes does not depend on time.
  page.setDefaultTimeout(120_000);
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (/security policy|trusted type/i.test(message.text())) problems.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    problems,
    picture: async (name) => {
      await page.screenshot({ path: join(screenshots, `${name}.png`) });
    },
  };
}
