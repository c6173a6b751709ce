import { TableContext, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";
import { chromiumPath } from "@partita/test-support/chromium-path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startStudio, type Studio } from "../src/index.ts";
import { launch, obstaclesIn, openPage } from "./chromium.ts";
import { withLargeTable } from "./large-storage.ts";
import { Blog, Comment, hostileTexts, Order, sampleStore } from "./sample-store.ts";

const largeRows = 1_000_000;
const classes = [Blog, Comment, Order];

/** Opened by a test that wants to see a write before it is made. */
let gate: Promise<void> | undefined;

let storage: TableStorage;
let studio: Studio;
beforeEach(async () => {
  const stored = await sampleStore();
  const gated = forwardStorage(stored, {
    transact: async (...args) => {
      await gate;
      return stored.transact(...args);
    },
  });
  storage = withLargeTable(gated, largeRows);
  studio = await startStudio({ storage, classes });
});
afterEach(() => studio.close());

describe.skipIf(chromiumPath === undefined)("the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test("leads a person from a query through a refused scan, an edit and a conflict to a save, by keyboard", async () => {
    const { page, problems, picture } = await openPage(browser, studio.url);
    await page.getByText("first 100 rows").waitFor();
    expect(page.url()).not.toContain(new URL(studio.url).hash);

    await page.keyboard.press("/");
    await page.keyboard.type("rating ge 4");
    await page.getByText("Allow this scan").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("reads the whole table Blogs").waitFor();
    await picture("refused-scan-light");

    await page.locator("#query").fill("channel eq 'Azure' and rating ge 4");
    await page.locator(".rating[data-rating=fair]").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("20 rows").waitFor();

    await page.locator("#grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("gridcell", { name: "c0", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("title", { exact: true }).fill("My title");
    await page.getByLabel("rating", { exact: true }).fill("1");
    await page.keyboard.press("Escape");
    await page.getByText("This form has changes that are not staged.").waitFor();
    await page.getByRole("button", { name: "Stage changes" }).click();
    await page.getByText("1 not saved yet").waitFor();
    await picture("staged-light");

    const other = new TableContext(storage);
    const [blog] = await other
      .query(Blog)
      .where({ channel: "Azure", title: "Azure note 59" })
      .scan()
      .toArray();
    Object.assign(blog as Blog, { title: "Their title", text: "Their text" });
    await other.saveChanges();
    await page.getByRole("button", { name: "Save all" }).click();
    await page.getByText("Another writer changed this row").waitFor();
    await picture("conflict-light");
    expect(await obstaclesIn(page)).toEqual([]);

    await page.getByLabel("title: theirs").check();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("The conflict is resolved").waitFor();
    await page.getByRole("heading", { name: "Staged changes" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Save all" }).click();
    await page.getByText("1 change saved.").waitFor();
    await page.locator("#grid:focus").waitFor();

    const [stored] = await new TableContext(storage)
      .query(Blog)
      .where({ channel: "Azure", title: "Their title" })
      .scan()
      .toArray();
    expect(stored).toMatchObject({ text: "Their text", rating: 1, views: 58_000_174n });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("shows an upgrade while it runs, counts, keys and heat, in dark", async () => {
    const { page, problems, picture } = await openPage(browser, studio.url, "dark");
    await page.getByRole("button", { name: "Order v3" }).click();
    await page.getByText("first 100 rows").waitFor();

    await page.getByRole("tab", { name: "Keys and heat" }).click();
    await page.getByRole("button", { name: "Read keys" }).click();
    await page.getByText("400 rows in 3 partitions").waitFor();
    await picture("keys-dark");
    expect(await obstaclesIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "Kinds and versions" }).click();
    await page.getByRole("button", { name: "Count" }).click();
    await page.getByRole("cell", { name: "Qty: Int32" }).waitFor();

    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    await page.getByRole("tab", { name: "Upgrade" }).click();
    await page.getByRole("button", { name: "Upgrade", exact: true }).click();
    await page.getByText(/Upgrading: .* rows read, .* of them upgraded/).waitFor();
    await picture("upgrade-dark");
    gate = undefined;
    open();
    await page.getByText("400 rows were upgraded. All rows are in their current version.").waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("shows hostile texts as text, in rows, forms and staged changes", async () => {
    const { page, problems, picture } = await openPage(browser, studio.url, "dark");
    await page.getByRole("button", { name: "Hostile" }).click();
    await page.getByText(`${hostileTexts.length} rows`).waitFor();
    expect(await page.locator(".cell[data-type=String]").allTextContents()).toContain(hostileTexts[0]);
    await page.locator("#grid").focus();

    const obstacles: string[] = [];
    for (const [i, text] of hostileTexts.entries()) {
      if (i > 0) await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByText(`/ r${i}`, { exact: false }).waitFor();
      expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(text.replace("\r\n", "\n"));
      if (i === 7) {
        await page.getByLabel("Text", { exact: true }).fill(`${text}!`);
        await page.getByRole("button", { name: "Stage changes" }).click();
        await page.getByText("1 not saved yet").waitFor();
        await picture("hostile-dark");
        obstacles.push(...(await obstaclesIn(page)));
      }
      await page.keyboard.press("Escape");
    }

    expect(obstacles).toEqual([]);
    expect(await page.evaluate(() => "wasAttacked" in globalThis)).toBe(false);
    expect(await page.locator("#studio :is(script, iframe, img, b)").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("holds few of a million rows at once, and reaches any of them", async () => {
    const { page, problems } = await openPage(browser, studio.url);
    await page.getByRole("button", { name: "Large" }).click();
    await page.getByText("first 100 rows").waitFor();
    await page.getByRole("button", { name: "Read to the end" }).click();
    await page.getByText("1,000,000 rows").waitFor();

    await page.locator("#grid").focus();
    await page.keyboard.press("Control+End");
    await page.getByRole("gridcell", { name: "row 999999" }).waitFor();
    const mostLines = await page.evaluate(async () => {
      const grid = document.getElementById("grid") as HTMLElement;
      let most = 0;
      for (let i = 0; i < 40; i++) {
        grid.scrollTop = (grid.scrollHeight * i) / 40;
        await new Promise(requestAnimationFrame);
        most = Math.max(most, document.querySelectorAll(".line").length);
      }
      return most;
    });
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("PageDown");
    const active = page.locator(".line[data-active=true] .cell[data-active=true]");
    await active.waitFor();

    expect(mostLines).toBeLessThan(60);
    expect(Number(await active.evaluate(({ id }) => id.split("-")[1]))).toBeGreaterThan(20);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("says that a row is of an older version, and what a clone leaves out", async () => {
    const { entities } = await storage.query("Orders", { top: 5 });
    const [first] = entities as [StoredEntity];
    const { PartitionKey, RowKey } = first;
    const present = { PartitionKey, RowKey, SchemaVersion: 3, Quantity: 7, State: "open", Legacy: 1 };
    await storage.write("Orders", { type: "replace", entity: present, etag: "*" });
    const { page, problems, picture } = await openPage(browser, studio.url);
    await page.getByRole("button", { name: "Order v3" }).click();
    await page.getByRole("gridcell", { name: "shop0" }).nth(1).dblclick();
    await page.getByText(/stored in version [12], and shown in version 3/).waitFor();
    await picture("older-version-light");
    await page.keyboard.press("Escape");
    await page.locator("#grid").focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Clone" }).click();
    await page.getByText("Order does not declare Legacy, so a clone does not contain them.").waitFor();
    await picture("clone-leaves-out-light");
    await page.keyboard.press("Escape");
    await page.locator("#grid").focus();
    // Clone has left the first row selected; the two behind it are older.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Edit all" }).click();
    await page.getByLabel("Property").selectOption("Quantity");
    await page.getByLabel("Quantity", { exact: true }).fill("9");
    await page.getByRole("button", { name: "Stage 2 changes" }).click();
    await page.getByText("2 not saved yet").waitFor();
    expect(await page.getByText(/stored in version [12], and shown in version 3/).count()).toBe(1);
    await picture("edit-all-upgrades-light");
    await page.getByRole("button", { name: "Discard all" }).click();
    await page.getByText("Nothing is staged.").waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("clones a row, edits several at once and copies them", async () => {
    const { page, problems, picture } = await openPage(browser, studio.url);
    await page.getByRole("button", { name: "Comment" }).click();
    await page.getByRole("gridcell", { name: "Ada" }).first().waitFor();
    await page.locator("#grid").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Copy CSV" }).click();
    await page.getByText("2 rows copied as CSV, with types.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());

    await page.getByRole("button", { name: "Edit all" }).click();
    await page.getByLabel("Property").selectOption("text");
    await page.getByLabel("text", { exact: true }).fill("Seen.");
    await page.getByRole("button", { name: "Stage 2 changes" }).click();
    await page.getByText("2 not saved yet").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#grid").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Clone" }).click();
    await page.getByLabel("id", { exact: true }).fill("copy");
    await page.getByRole("button", { name: "Stage new row" }).click();
    await page.getByText("3 not saved yet").waitFor();
    await picture("clone-and-multi-edit-light");
    await page.getByRole("button", { name: "Save all" }).click();
    await page.getByText("3 changes saved.").waitFor();

    expect(copied).toMatch(/^PartitionKey,RowKey,Timestamp,.*author,author@type,.*\r\nAzure,/);
    const comments = await new TableContext(storage).query(Comment).where({ channel: "Azure" }).toArray();
    expect(comments.filter(({ text }) => text === "Seen.")).toHaveLength(2);
    expect(comments.filter(({ id }) => id === "copy")).toHaveLength(1);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("of a read-only studio offers no change", async () => {
    await using readOnly = await startStudio({ storage, classes, readOnly: true });
    const { page, problems } = await openPage(browser, readOnly.url);
    await page.getByText("read-only", { exact: true }).waitFor();
    await page.getByText("first 100 rows").waitFor();
    await page.locator("#grid").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Blog" }).waitFor();

    expect(await page.getByRole("button", { name: /stage|save|delete|new row|clone/i }).count()).toBe(0);
    expect(await page.getByLabel("title", { exact: true }).getAttribute("readonly")).not.toBeNull();
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
