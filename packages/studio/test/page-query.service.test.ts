import { expect } from "vitest";
import { obstaclesIn } from "./chromium.ts";
import { City, Country, generatedStore } from "./generated-store.ts";
import { withLargeTable } from "./large-storage.ts";
import { describePage } from "./page-tests.ts";

const places = { storage: generatedStore, classes: [City, Country] };
const large = { ...places, storage: async () => withLargeTable(await generatedStore(), 135_483) };

describePage("a query", (pageTest) => {
  pageTest("is completed by keyboard alone: names, operators, values", places, async ({ page, picture }) => {
    await page.getByText("first 100 rows").waitFor();
    const query = page.getByRole("combobox", { name: "City where" });
    const options = page.getByRole("listbox", { name: "Completions" }).getByRole("option");

    await page.keyboard.press("/");
    await page.keyboard.press("Control+Space");
    await options.first().waitFor();
    await picture("completions-light");
    expect(await query.getAttribute("aria-expanded")).toBe("true");
    expect(await query.getAttribute("aria-activedescendant")).toBe("query-option-0");
    expect(await obstaclesIn(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.keyboard.type("e");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    expect(await query.inputValue()).toBe("partitionKey eq 'FR' ");

    await page.keyboard.type("and number in (9997000000, 9998000000)");
    await page.keyboard.press("Enter");
    await page.getByText("2 rows", { exact: true }).waitFor();
    expect(await options.count()).toBe(0);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("st");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("na");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("FR 29");
    await page.keyboard.press("End");
    expect(await query.inputValue()).toBe("startswith(name, 'FR 29')");
    await page.getByLabel("Allow this scan").check();
    await query.focus();
    await page.keyboard.press("Enter");
    await page.getByText("11 rows", { exact: true }).waitFor();
  });

  pageTest("is completed with the mouse, and Escape closes the list first", places, async ({ page }) => {
    await page.getByText("first 100 rows").waitFor();
    const query = page.getByRole("combobox", { name: "City where" });
    await query.click();
    await page.keyboard.type("num");
    await page.getByRole("option", { name: "number Int64, RowKey" }).click();
    await page.getByRole("option", { name: "gt greater than", exact: true }).click();
    expect(await query.inputValue()).toBe("number gt ");
    await page.keyboard.press("Escape");
    expect(await page.locator("#query-options li").count()).toBe(0);
    expect(await query.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    expect(await query.evaluate((input) => input === document.activeElement)).toBe(false);
  });

  pageTest("reads 100 of many rows at first, and says so", large, async ({ page, picture }) => {
    const read: number[] = [];
    page.on("request", (request) => {
      if (!request.url().endsWith("/rows/page")) return;
      read.push((request.postDataJSON() as { size: number }).size);
    });
    await page.getByRole("button", { name: "Large" }).click();
    await page.getByText("first 100 rows").waitFor();
    await page.getByText("first rows").waitFor();
    expect(await page.locator(".rating[data-rating]").count()).toBe(0);
    await picture("first-rows-light");
    expect(read.at(-1)).toBe(100);

    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByText("first 600 rows").waitFor();
    await page.locator("#grid").focus();
    await page.keyboard.press("Control+End");
    await page.getByText("first 1,100 rows").waitFor();
  });
});
