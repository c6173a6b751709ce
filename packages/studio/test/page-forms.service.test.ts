import { expect } from "vitest";
import { obstaclesIn } from "./chromium.ts";
import { City, Country, generatedStore } from "./generated-store.ts";
import { describePage } from "./page-tests.ts";
import { Blog, Comment, Order, sampleStore } from "./sample-store.ts";

const blogs = { storage: sampleStore, classes: [Blog, Comment, Order] };
const places = { storage: generatedStore, classes: [City, Country], colorScheme: "dark" } as const;

describePage("a form", (pageTest) => {
  pageTest("shows errors at their fields and focuses the first", blogs, async ({ page, picture }) => {
    await page.getByText("first 100 rows").waitFor();
    await page.locator("#grid").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("rating", { exact: true }).fill("many");
    await page.getByLabel("score", { exact: true }).fill("");
    await page.keyboard.press("Control+Enter");
    await page.locator("#field-rating:focus").waitFor();
    await page.getByRole("alert").getByText("2 fields need another value.").waitFor();
    await picture("form-errors-light");

    const rating = page.getByLabel("rating", { exact: true });
    expect(await rating.getAttribute("aria-invalid")).toBe("true");
    expect(await rating.getAttribute("aria-describedby")).toBe("field-rating-error");
    expect(await page.locator("#field-rating-error").textContent()).toBe("Write a number.");
    expect(await page.locator(".notice").count()).toBe(0);
    expect(await obstaclesIn(page)).toEqual([]);

    await page.keyboard.press("Control+A");
    await page.keyboard.type("9998000000");
    await page.getByLabel("score", { exact: true }).fill("1.5");
    expect(await page.locator("[aria-invalid=true]").count()).toBe(0);
    await page.keyboard.press("Control+Enter");
    await page.getByText("Blog.rating takes a whole number").waitFor();
    await page.locator("#field-rating:focus").waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("5");
    await page.keyboard.press("Control+Enter");
    await page.getByText("1 not saved yet").waitFor();
  });

  pageTest("of a new row shows what is wrong with a part of its key", places, async ({ page, picture }) => {
    await page.getByText("first 100 rows").waitFor();
    await page.getByRole("button", { name: "New row" }).click();
    await page.getByLabel("partitionKey", { exact: true }).fill("FR");
    await page.getByLabel("number", { exact: true }).fill("99980000000");
    await page.getByLabel("number2", { exact: true }).fill("1");
    await page.getByLabel("latitude", { exact: true }).fill("1");
    await page.getByLabel("longitude", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Stage new row" }).click();
    await page.locator("#field-number:focus").waitFor();
    expect(await page.locator("#field-number-error").textContent()).toContain("from 0 to 9999999999");
    await picture("form-key-error-dark");
    expect(await obstaclesIn(page)).toEqual([]);

    await page.getByLabel("number", { exact: true }).fill("9998000001");
    await page.getByRole("button", { name: "Stage new row" }).click();
    await page.getByText("1 not saved yet").waitFor();
    await page.getByRole("button", { name: "Save all" }).click();
    await page.getByText("1 change saved.").waitFor();
  });
});
