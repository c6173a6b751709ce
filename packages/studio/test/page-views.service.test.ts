import { isFull } from "@partita/test-support/effort";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { obstaclesIn } from "./chromium.ts";
import { describePage } from "./page-tests.ts";
import { Blog, Comment, Order, sampleStore } from "./sample-store.ts";

const openTab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();

async function openTable(page: Page, name: string): Promise<void> {
  const fold = page.locator(".fold summary");
  if ((await fold.count()) > 0) await fold.click();
  await page.getByRole("button", { name, exact: true }).click();
}

/** Each view, and the steps that lead to it from the view before. */
const views: readonly (readonly [name: string, open: (page: Page) => Promise<void>])[] = [
  ["rows", (page) => page.getByText("first 100 rows").waitFor()],
  [
    "query",
    async (page) => {
      await page.locator("#query").fill("rating ge 3 and startswith(title, 'Azure')");
      await page.getByText("Allow this scan").waitFor();
      await page.keyboard.press("Control+Space");
    },
  ],
  [
    "form",
    async (page) => {
      await page.locator("#query").fill("");
      await page.locator("#grid").focus();
      await page.keyboard.press("Control+Enter");
      await page.getByLabel("title", { exact: true }).fill("A title");
    },
  ],
  [
    "staged",
    async (page) => {
      await page.keyboard.press("Control+Enter");
      await page.getByText("1 not saved yet").waitFor();
    },
  ],
  [
    "files",
    async (page) => {
      await page.keyboard.press("Escape");
      await openTab(page, "Files and table");
      const row = {
        PartitionKey: "p",
        RowKey: "r",
        Age: 5,
        Name: "Ada",
        "Born@odata.type": "Edm.DateTime",
        Born: "1815-12-10T00:00:00Z",
      };
      const buffer = Buffer.from(
        `${JSON.stringify(row)}\n${JSON.stringify({ ...row, RowKey: "s", Age: "old" })}\n{}\n`,
      );
      await page
        .getByLabel("File", { exact: true })
        .setInputFiles({ name: "people.jsonl", mimeType: "text/plain", buffer });
      await page.getByRole("columnheader", { name: "Age Int32 or String" }).waitFor();
    },
  ],
  [
    "kinds",
    async (page) => {
      await openTab(page, "Kinds and versions");
      await page.getByRole("button", { name: "Count" }).click();
      await page.getByRole("table", { name: /^\d+ rows$/ }).waitFor();
    },
  ],
  [
    "keys",
    async (page) => {
      await openTab(page, "Keys and heat");
      await page.getByRole("button", { name: "Read keys" }).click();
      await page.getByText("Partition heat").waitFor();
    },
  ],
  [
    "upgrade",
    async (page) => {
      await openTable(page, "Order v3");
      await openTab(page, "Upgrade");
      await page.getByRole("button", { name: "Try in memory" }).click();
      await page.getByText("400 rows would be upgraded.").waitFor();
    },
  ],
];

const sizes = [
  ["wide", "light", { width: 1440, height: 900 }],
  ["narrow", "dark", { width: 480, height: 820 }],
  ...(isFull
    ? ([
        ["wide", "dark", { width: 1440, height: 900 }],
        ["narrow", "light", { width: 480, height: 820 }],
        // A window of 1440 by 900 at 200 %.
        ["zoomed", "light", { width: 720, height: 450 }],
        ["zoomed", "dark", { width: 720, height: 450 }],
      ] as const)
    : []),
] as const;

describePage("every view", (pageTest) => {
  for (const [size, colorScheme, viewport] of sizes)
    pageTest(
      `fits its window and has no obstacles: ${size}, ${colorScheme}`,
      { storage: sampleStore, classes: [Blog, Comment, Order], colorScheme, viewport },
      async ({ page, picture }) => {
        const problems: string[] = [];
        for (const [name, open] of views) {
          await open(page);
          await picture(`view-${name}-${size}-${colorScheme}`);
          for (const obstacle of await obstaclesIn(page)) problems.push(`${name}: ${obstacle}`);
          const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (excess > 0) problems.push(`${name}: ${excess} pixels wider than the window`);
        }
        expect(problems).toEqual([]);
      },
    );
});
