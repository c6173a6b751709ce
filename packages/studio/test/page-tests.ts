import type { EntityClass, TableStorage } from "@partita/core";
import { chromiumPath } from "@partita/test-support/chromium-path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startStudio } from "../src/index.ts";
import { launch, type OpenPage, openPage } from "./chromium.ts";

/** A studio and its page, for one test. */
interface OpenStudio extends OpenPage {
  readonly storage: TableStorage;
}

/** How a test opens its studio. */
interface StudioSetting {
  readonly storage: () => Promise<TableStorage>;
  readonly classes: readonly EntityClass[];
  readonly colorScheme?: "light" | "dark";
  readonly readOnly?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A test in a browser. It fails if a script threw or the content security policy refused something. */
export type PageTest = (
  name: string,
  setting: StudioSetting,
  run: (opened: OpenStudio) => Promise<void>,
) => void;

if (chromiumPath === undefined)
  console.log("No Chromium on this machine: the tests of the studio's page are skipped.");

/** Tests of the page in Chromium. They are skipped on machines without it. */
export function describePage(name: string, define: (pageTest: PageTest) => void): void {
  describe.skipIf(chromiumPath === undefined)(`${name}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser.close());
    define((title, setting, run) => {
      test(`${title}`, async () => {
        const { classes, readOnly = false, colorScheme, viewport } = setting;
        const storage = await setting.storage();
        await using studio = await startStudio({ storage, classes, readOnly });
        const opened = await openPage(browser, studio.url, colorScheme, viewport);
        await run({ ...opened, storage });
        expect(opened.problems).toEqual([]);
        await opened.page.context().close();
      });
    });
  });
}
