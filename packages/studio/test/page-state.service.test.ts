import type { Page } from "playwright-core";
import { expect } from "vitest";
import { withLargeTable } from "./large-storage.ts";
import { City, Country, generatedStore } from "./generated-store.ts";
import { describePage } from "./page-tests.ts";
import { Blog, Comment, Order, sampleStore } from "./sample-store.ts";

const blogs = { storage: sampleStore, classes: [Blog, Comment, Order] };
const places = { storage: generatedStore, classes: [City, Country] };
const large = { ...blogs, storage: async () => withLargeTable(await sampleStore(), 1_000_000) };

const firstLine = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const grid = document.getElementById("grid") as HTMLElement;
    const top = grid.getBoundingClientRect().top;
    const lines = [...grid.querySelectorAll<HTMLElement>(".line")];
    const first = lines.find((line) => line.getBoundingClientRect().bottom > top + 45);
    return Number(first?.getAttribute("aria-rowindex")) - 2;
  });

/** Waits until the address has a text, because positions are written after a short time. */
const addressWith = (page: Page, text: string): Promise<void> =>
  page.waitForURL((url) => url.search.includes(text));

describePage("the state of the page", (pageTest) => {
  pageTest("is in the address, and Back returns to each table, query and view", places, async ({ page }) => {
    await page.getByText("first 100 rows").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("partitionKey eq 'FR' and number lt 9998000000");
    await page.locator(".rating[data-rating=good]").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("100 rows", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Country" }).click();
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Keys and heat" }).click();
    await page.getByRole("button", { name: "Read keys" }).waitFor();
    expect(new URL(page.url()).search).toBe("?table=Places&class=Country&view=keys");
    expect(new URL(page.url()).hash).toBe("");

    await page.goBack();
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.goBack();
    await page.getByText("100 rows", { exact: true }).waitFor();
    expect(await page.locator("#query").inputValue()).toBe("partitionKey eq 'FR' and number lt 9998000000");
    await page.goBack();
    await page.getByText("first 100 rows").waitFor();
    expect(await page.locator("#query").inputValue()).toBe("");
    await page.goForward();
    await page.getByText("100 rows", { exact: true }).waitFor();
    expect(await page.title()).toBe("City – Partita Studio");
  });

  pageTest(
    "survives a reload: query, position, selection and an unfinished query",
    places,
    async ({ page }) => {
      await page.locator("#query").fill("partitionKey eq 'JP'");
      await page.keyboard.press("Enter");
      await page.getByText("first 100 rows").waitFor();
      await page.getByRole("button", { name: "Load more" }).click();
      await page.getByText("300 rows", { exact: true }).waitFor();
      await page.locator("#grid").focus();
      await page.keyboard.press("Space");
      await page.keyboard.press("Control+End");
      await page.keyboard.press("Space");
      await page.getByText("2 selected").waitFor();
      await page.locator("#query").fill("partitionKey eq 'JP' and num");
      await addressWith(page, "line=");
      const line = await firstLine(page);

      await page.reload();
      await page.getByText("300 rows", { exact: true }).waitFor();
      await page.getByText("2 selected").waitFor();
      await page.getByText("JP 299", { exact: true }).waitFor();

      expect(await page.locator("#query").inputValue()).toBe("partitionKey eq 'JP' and num");
      expect(Math.abs((await firstLine(page)) - line)).toBeLessThanOrEqual(1);
      expect(line).toBeGreaterThan(200);
    },
  );

  pageTest(
    "of a million rows has the position, without reading the rows before it",
    large,
    async ({ page }) => {
      await page.getByRole("button", { name: "Large" }).click();
      await page.getByText("first 100 rows").waitFor();
      await page.getByRole("button", { name: "Read to the end" }).click();
      await page.getByText("1,000,000 rows").waitFor();
      await page.locator("#grid").focus();
      await page.keyboard.press("Control+End");
      await page.getByRole("gridcell", { name: "row 999999" }).waitFor();
      await addressWith(page, "line=");
      let pages = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("/rows/page") || request.url().endsWith("/rows/extent")) pages++;
      });

      await page.reload();
      await page.getByRole("gridcell", { name: "row 999999" }).waitFor();

      expect(pages).toBeLessThan(5);
    },
  );

  pageTest("opens in another tab from the address alone", places, async ({ page }) => {
    await page.locator("#query").fill("partitionKey eq 'JP'");
    await page.keyboard.press("Enter");
    await page.getByText("first 100 rows").waitFor();
    await page.locator("#grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await addressWith(page, "row=");
    const address = page.url();
    const token = await page.evaluate(() => sessionStorage.getItem("partita-studio-token"));

    const other = await page.context().newPage();
    await other.goto(`${address}#${token}`);
    await other.getByText("first 100 rows").waitFor();
    await other.getByText("1 selected").waitFor();

    expect(other.url()).not.toContain(token);
    expect(await other.locator("#query").inputValue()).toBe("partitionKey eq 'JP'");
  });

  pageTest(
    "keeps an open form with its changes over a reload, and asks before the tab closes",
    blogs,
    async ({ page }) => {
      await page.getByText("first 100 rows").waitFor();
      await page.locator("#grid").focus();
      await page.keyboard.press("Enter");
      await page.getByLabel("title", { exact: true }).fill("Half done");
      const questions: string[] = [];
      page.on("dialog", (dialog) => {
        questions.push(dialog.type());
        void dialog.accept();
      });

      await page.reload();
      await page.getByLabel("title", { exact: true }).waitFor();
      expect(await page.getByLabel("title", { exact: true }).inputValue()).toBe("Half done");
      await page.getByRole("button", { name: "Stage changes" }).click();
      await page.getByText("1 not saved yet").waitFor();
      await page.reload();
      await page.getByText("1 not saved yet").waitFor();
      await page.getByRole("button", { name: "Save all" }).click();
      await page.getByText("1 change saved.").waitFor();

      expect(questions).toEqual(["beforeunload"]);
    },
  );

  pageTest("keeps a new row and an edit of several rows over a reload", blogs, async ({ page }) => {
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByText("first 100 rows").waitFor();
    await page.getByRole("button", { name: "New row" }).click();
    await page.getByLabel("channel", { exact: true }).fill("New channel");
    await page.reload();
    await page.getByLabel("channel", { exact: true }).waitFor();
    expect(await page.getByLabel("channel", { exact: true }).inputValue()).toBe("New channel");
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("This form has changes that are not staged.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await page.locator("#grid").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Edit all" }).click();
    await page.getByLabel("Property").selectOption("text");
    await page.getByLabel("text", { exact: true }).fill("For all");
    await addressWith(page, "row=");
    await page.reload();
    await page.getByLabel("text", { exact: true }).waitFor();
    expect(await page.getByLabel("text", { exact: true }).inputValue()).toBe("For all");
    await page.getByRole("button", { name: "Stage 1 changes" }).click();
    await page.getByText("1 not saved yet").waitFor();
  });

  pageTest("stays when Back would lose a form", blogs, async ({ page }) => {
    await page.getByText("first 100 rows").waitFor();
    await page.getByRole("button", { name: "Orders as stored" }).click();
    await addressWith(page, "table=Orders");
    await page.locator("#grid").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Quantity", { exact: true }).fill("77");
    await page.evaluate(() => history.back());
    await page.getByText("This form has changes that are not staged.").waitFor();
    expect(await page.getByLabel("Quantity", { exact: true }).inputValue()).toBe("77");
    expect(page.url()).toContain("table=Orders");

    await page.evaluate(() => history.back());
    await addressWith(page, "table=Blogs");
    expect(await page.getByLabel("Quantity", { exact: true }).count()).toBe(0);
  });
});
