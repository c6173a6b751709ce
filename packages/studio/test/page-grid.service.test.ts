import { openStorage, type TableStorage } from "@partita/core";
import { compareTables } from "@partita/transfer";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { obstaclesIn } from "./chromium.ts";
import { withLargeTable } from "./large-storage.ts";
import { addOddTable, addWideTable, wideColumns } from "./odd-rows.ts";
import { describePage } from "./page-tests.ts";
import { Blog, Comment, Order, sampleStore } from "./sample-store.ts";

const classes = [Blog, Comment, Order];
const wideRows = 150;

async function wideStore(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await addWideTable(storage, wideRows);
  return storage;
}

async function oddStore(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await addOddTable(storage);
  await storage.createTable("Target");
  return storage;
}

const largeStore = async (): Promise<TableStorage> => withLargeTable(await openStorage("memory:"), 1_000_000);

/** Opens a table and waits for its first rows. */
async function openGrid(page: Page, table: string): Promise<void> {
  await page.getByRole("button", { name: table, exact: true }).click();
  await page.locator("#cell-0-0").waitFor();
  await page.locator("#grid").focus();
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const times = (count: number, key: string): string[] => Array.from({ length: count }, () => key);

/** The cell under the cursor, as the line below the grid shows it: column, type and value. */
const cursorText = (page: Page): Promise<readonly string[]> =>
  page.locator(".grid-status > :is(strong, small, .value)").allTextContents();

const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

describePage("rows with 250 properties", (pageTest) => {
  pageTest(
    "are shown, edited, copied and pasted by keyboard",
    { storage: wideStore, classes: [] },
    async ({ page, storage, picture }) => {
      await openGrid(page, "Wide");
      await page.getByRole("button", { name: `Columns ${wideColumns + 3}` }).waitFor();

      await press(page, "End", "ArrowLeft");
      await page.getByRole("columnheader", { name: "IsOn249" }).waitFor();
      expect(await cursorText(page)).toEqual(["IsOn249", "Boolean", "true"]);
      expect(await page.locator("#cell-0-1").isVisible()).toBe(true);
      expect(await page.locator(".line").first().locator(".cell").count()).toBeLessThan(30);
      await press(page, "Home", "PageDown", "Control+Home");

      // Count1 is refused, and Text0 is not.
      await press(page, "ArrowRight", "ArrowRight");
      await page.keyboard.type("mine");
      await press(page, "Tab");
      await page.keyboard.type("2147483648");
      await press(page, "Enter");
      await page.getByRole("alert").getByText("1 cell not staged").waitFor();
      await press(page, "ArrowUp");
      expect((await cursorText(page)).join(" ")).toMatch(/2147483647. You wrote: 2147483648$/);
      await picture("grid-refused-light");
      await press(page, "F2", "Backspace", "Enter");
      await page.getByRole("alert").getByText("1 cell not staged").waitFor({ state: "detached" });
      await page.locator("#cell-0-2[data-changed=true]").getByText("mine").waitFor();

      // An edit that is cancelled, and a value that is cleared.
      await press(page, "Control+Home", "ArrowDown", "ArrowRight", "ArrowRight", "Enter");
      await page.keyboard.type("not this");
      await press(page, "Escape", "ArrowRight", "Delete");
      await page.locator("#cell-1-3[data-absent=true]").waitFor();

      // Int64, Double and Boolean of the third row, in the fourth.
      await press(page, "ArrowDown", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight");
      await page.getByText("1 × 3 cells").waitFor();
      await press(page, "Control+c", "ArrowDown", "ArrowLeft", "ArrowLeft", "Control+v");
      await page.getByText("3 cells pasted.").waitFor();
      expect(await clipboard(page)).toBe("9007199254740995\t3.75\ttrue");
      await picture("grid-staged-light");
      await page.getByRole("button", { name: /^Staged/ }).click();
      await page.getByRole("button", { name: "Save all" }).click();
      await page.getByText("3 changes saved.").waitFor();

      const rows = (await storage.query("Wide", { top: 4 })).entities;
      expect(rows[0]).toMatchObject({ Text0: "mine", Count1: 214_748_364 });
      expect(rows[1]).not.toHaveProperty("Count1");
      expect(rows[1]).toMatchObject({ Text0: "text 1.0" });
      expect(rows[3]).toMatchObject({
        Big2: "9007199254740995",
        "Big2@odata.type": "Edm.Int64",
        Ratio3: 3.75,
        IsOn4: true,
      });
      // The cursor is where it was before the save.
      await expect.poll(async () => (await cursorText(page))[0]).toBe("Big2");
    },
  );

  pageTest(
    "are resized, moved, hidden and found by mouse, and stay so after a reload",
    { storage: wideStore, classes: [], colorScheme: "dark", viewport: { width: 1440, height: 820 } },
    async ({ page, picture }) => {
      await openGrid(page, "Wide");
      const header = (name: string): ReturnType<Page["locator"]> =>
        page.getByRole("columnheader", { name: new RegExp(`^${name}\\b`) });
      const widthOf = async (name: string): Promise<number> => (await header(name).boundingBox())?.width ?? 0;
      const before = await widthOf("Text0");

      const edge = await header("Text0").locator(".resize").boundingBox();
      await page.mouse.move((edge?.x ?? 0) + 3, (edge?.y ?? 0) + 20);
      await page.mouse.down();
      await page.mouse.move((edge?.x ?? 0) + 63, (edge?.y ?? 0) + 20, { steps: 4 });
      await page.mouse.up();
      const [from, to] = await Promise.all([header("Count1").boundingBox(), header("Ratio3").boundingBox()]);
      await page.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 20);
      await page.mouse.down();
      await page.mouse.move((to?.x ?? 0) + 20, (to?.y ?? 0) + 20, { steps: 8 });
      await page.mouse.up();
      await header("Big2").hover();
      await header("Big2").getByRole("button").click();
      await page.getByRole("menu").waitFor();
      await picture("grid-menu-dark");
      await page.getByRole("menuitem", { name: "Hide" }).click();
      await page.getByRole("button", { name: /^Columns/ }).click();
      await page.getByLabel("Search columns").fill("on24");
      await page.getByLabel("Pin IsOn249").click();
      await picture("grid-chooser-dark");
      await press(page, "Escape");
      await page.reload();
      await page.locator("#cell-0-0").waitFor();

      const names = await page.locator(".head bdi").allTextContents();
      expect(names.slice(0, 6)).toEqual(["PartitionKey", "RowKey", "IsOn249", "Text0", "Ratio3", "Count1"]);
      expect((await widthOf("Text0")) - before).toBeCloseTo(60, -1);
      await page.getByRole("button", { name: `Columns ${wideColumns + 2} of ${wideColumns + 3}` }).waitFor();
    },
  );

  pageTest(
    "are resized, moved, hidden and found by keyboard",
    { storage: wideStore, classes: [] },
    async ({ page }) => {
      await openGrid(page, "Wide");
      const names = (): Promise<string[]> => page.locator(".head bdi").allTextContents();
      const width = async (): Promise<number> => (await page.locator("#head-2").boundingBox())?.width ?? 0;
      const before = await width();

      await press(page, "ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowRight");
      await expect.poll(width).toBe(before + 40);
      await press(page, "Control+Shift+ArrowRight");
      await expect.poll(async () => (await names()).slice(2, 4)).toEqual(["Count1", "Text0"]);
      await press(page, "Alt+ArrowDown", "End", "Enter");
      await page.getByRole("button", { name: `Columns ${wideColumns + 2} of` }).press("Enter");
      await page.keyboard.type("text0");
      await press(page, "Tab", "Tab", "Tab", "Tab", "Space", "Escape");
      await page
        .getByRole("button", { name: `Columns ${wideColumns + 3}` })
        .and(page.locator(":focus"))
        .waitFor();

      expect((await names()).slice(2, 4)).toEqual(["Count1", "Text0"]);
    },
  );

  pageTest("are selected and edited by mouse", { storage: wideStore, classes: [] }, async ({ page }) => {
    await openGrid(page, "Wide");

    await page.locator("#cell-1-2").click();
    await page.locator("#cell-3-3").click({ modifiers: ["Shift"] });
    await page.getByText("3 × 2 cells").waitFor();
    await press(page, "Control+c");
    await page.getByText("6 cells copied.").waitFor();
    await page.locator("#cell-5-3").hover();
    await page.mouse.down();
    await page.locator("#cell-6-3").hover();
    await page.mouse.up();
    await page.getByText("2 × 1 cells").waitFor();
    await page.locator("#cell-4-2").dblclick();
    await page.keyboard.type("!");
    await page.locator("#cell-8-2").click();
    await page.locator("#cell-4-2[data-changed=true]").getByText("text 4.0!").waitFor();
    await press(page, "Control+v");
    await page.getByText("6 cells pasted.").waitFor();

    expect(await page.locator("#cell-10-2").textContent()).toBe("text 3.0");
  });

  pageTest(
    "are sorted among the rows that are loaded, which the page tells",
    { storage: wideStore, classes: [] },
    async ({ page, picture }) => {
      await openGrid(page, "Wide");

      await press(page, ...times(4, "ArrowRight"), "ArrowUp", "Enter", "Enter");
      await page.getByRole("status").getByText("Sorted by Big2 among the 100 rows loaded.").waitFor();
      expect(await page.getByRole("columnheader", { name: "Big2" }).getAttribute("aria-sort")).toBe(
        "descending",
      );
      expect(await page.locator("#cell-0-4").textContent()).toBe("9007199254741092");
      await picture("grid-sorted-light");
      await page.getByRole("button", { name: "Load more" }).click();
      await page.getByRole("status").getByText("Sorted by Big2.", { exact: true }).waitFor();
      expect(await page.locator("#cell-0-4").textContent()).toBe("9007199254741142");
      await page.locator("#grid").focus();
      await press(page, "Alt+ArrowDown", "ArrowDown", "ArrowDown", "Enter");

      await page.locator("#cell-0-1").getByText("00000").waitFor();
      await page.locator("#grid:focus").waitFor();
    },
  );
});

describePage("values that are easily taken for others", (pageTest) => {
  pageTest("are shown as they are", { storage: oddStore, classes: [] }, async ({ page, picture }) => {
    await openGrid(page, "Odd");
    const lines = await page
      .locator(".line")
      .evaluateAll((all) =>
        all.map((line) => [...line.querySelectorAll(".cell:not(.check)")].map((cell) => cell.textContent)),
      );
    const valuesOf = (rowKey: string): readonly (string | null)[] | undefined =>
      lines.find(([, key]) => key === rowKey)?.filter((text, i) => i > 1 && text !== "–");

    expect(lines[0]?.slice(0, 3)).toEqual(["(empty)", "(empty)", "(empty)"]);
    expect(valuesOf("blank␣")?.[0]).toBe("a⟨a0⟩b⟨200b⟩");
    expect(valuesOf("override")?.[0]).toBe("⟨202e⟩gnp.exe");
    expect(valuesOf("lines")?.[0]).toBe("one⟨d⟩↵two⇥three");
    expect(valuesOf("zero")?.[0]).toBe("-0.0");
    expect(valuesOf("int64")?.[0]).toBe("9223372036854775807");
    expect(valuesOf("late")?.[0]).toBe("9999-12-31T23:59:59.9999999Z");
    expect(valuesOf("none")?.[0]).toBe("(empty)");
    expect(
      await page.locator("bdi", { hasText: "שלום" }).evaluate((bdi) => getComputedStyle(bdi).direction),
    ).toBe("rtl");
    await picture("grid-odd-light");
    expect(await obstaclesIn(page)).toEqual([]);

    // The long text is complete in the form.
    const long = lines.findIndex(([, key]) => key === "long");
    await press(page, "ArrowRight", "ArrowRight", ...times(long, "ArrowDown"), "Enter");
    await page.getByRole("complementary").waitFor();
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("long ".repeat(4000));
  });

  pageTest(
    "are equal with EDM types after their rows were copied, pasted into another table and saved",
    { storage: oddStore, classes: [] },
    async ({ page, storage }) => {
      await openGrid(page, "Odd");
      for (let i = 0; i < 15; i++) await press(page, "Space", "ArrowDown");
      await page.getByText("15 selected").waitFor();
      await page.getByRole("button", { name: "New row" }).waitFor();
      await press(page, "Control+c");
      await page.getByText("15 rows copied as JSON, with types.").waitFor();
      await page.getByRole("button", { name: "Target", exact: true }).click();
      await page.getByText("No rows.").waitFor();
      await page.locator("#grid").focus();
      await press(page, "Control+v");
      await page.getByText("15 not saved yet").waitFor();
      await page.getByRole("button", { name: "Save all" }).click();
      await page.getByText("15 changes saved.").waitFor();

      expect(await compareTables(storage, storage, "Odd", { as: "Target" })).toMatchObject({ isEqual: true });
    },
  );
});

describePage("a value that is refused", (pageTest) => {
  pageTest(
    "stays at its cell, also while another table is open, until it is corrected",
    { storage: oddStore, classes: [] },
    async ({ page, storage }) => {
      await openGrid(page, "Odd");
      await page.locator(".line", { hasText: "int32" }).locator("[data-type=Int32]").click();
      await page.keyboard.type("1e99");
      await press(page, "Enter");
      await page.getByRole("alert").getByText("1 cell not staged").waitFor();

      await page.getByRole("button", { name: "Target", exact: true }).click();
      await page.getByText("No rows.").waitFor();
      expect(await page.getByText("not staged").count()).toBe(0);
      await openGrid(page, "Odd");
      await page.getByRole("button", { name: "Show" }).click();
      expect((await cursorText(page)).join(" ")).toMatch(/^Number Int32 Number takes .* You wrote: 1e99$/);
      await press(page, "F2", "Backspace", "Backspace", "Backspace", "Enter");
      await page.locator("[data-changed=true]").getByText("1", { exact: true }).waitFor();
      await page.getByRole("button", { name: /^Staged/ }).click();
      await page.getByRole("button", { name: "Save all" }).click();
      await page.getByText("1 change saved.").waitFor();

      expect(await storage.get("Odd", { partitionKey: "p", rowKey: "int32" })).toMatchObject({ Number: 1 });
    },
  );

  pageTest(
    "because the studio does not respond is not lost",
    { storage: oddStore, classes: [] },
    async ({ page }) => {
      await openGrid(page, "Odd");
      await page.route("**/staged/cells", (route) => route.abort());
      await page.locator(".line", { hasText: "int32" }).locator("[data-type=Int32]").click();
      await page.keyboard.type("7");
      await press(page, "Enter", "ArrowUp");
      await page.getByText("You wrote: 7").waitFor();
      await page.unroute("**/staged/cells");
      await press(page, "F2", "Enter");

      await page.locator("[data-changed=true]").getByText("7", { exact: true }).waitFor();
    },
  );
});

describePage("a grid of a million rows", (pageTest) => {
  pageTest(
    "draws few cells, and refuses to copy what it has not read",
    { storage: largeStore, classes: [] },
    async ({ page }) => {
      await openGrid(page, "Large");
      await page.getByRole("button", { name: "Read to the end" }).click();
      await page.getByText("1,000,000 rows", { exact: true }).waitFor();
      await page.locator("#grid").focus();

      await press(page, "Control+ArrowDown");
      await page.getByRole("gridcell", { name: "row 999999" }).waitFor();
      await press(page, "Control+Space");
      await page.getByText("1,000,000 × 1 cells").waitFor();
      await press(page, "Control+c");
      await page.getByText("Select at most 10,000 rows").waitFor();

      expect(await page.locator("#grid [role=gridcell]").count()).toBeLessThan(400);
    },
  );
});

describePage("a read-only grid", (pageTest) => {
  pageTest(
    "copies, and neither edits nor pastes",
    { storage: wideStore, classes: [], readOnly: true },
    async ({ page }) => {
      await openGrid(page, "Wide");

      await press(page, "ArrowRight", "ArrowRight", "Control+c");
      await page.getByText("1 cell copied.").waitFor();
      await press(page, "ArrowDown", "x", "Delete", "Control+v");
      await page.getByText("opened read-only, so nothing can be pasted").waitFor();

      expect(await clipboard(page)).toBe("text 0.0");
      expect(await page.locator(".cell-editor").count()).toBe(0);
      expect(await page.locator("#cell-1-2").textContent()).toBe("text 1.0");
    },
  );
});

describePage("the grid of a class", (pageTest) => {
  for (const [name, colorScheme, viewport] of [
    ["narrow", "light", { width: 480, height: 820 }],
    // As a window of 1440 by 900 is at 200 %.
    ["zoomed", "dark", { width: 720, height: 450 }],
  ] as const)
    pageTest(
      `keeps its keys in view, and its menu, editor and list of columns have no obstacles: ${name}, ${colorScheme}`,
      { storage: sampleStore, classes, colorScheme, viewport },
      async ({ page, picture }) => {
        await page.locator("#cell-0-0").waitFor();
        await page.locator("#grid").focus();
        await press(page, "ArrowDown", "End", "Home", "Space", "Shift+ArrowDown");

        await picture(`grid-${name}-${colorScheme}`);
        expect(await page.locator("#cell-1-0").isVisible()).toBe(true);
        const active = await page.locator("#grid").getAttribute("aria-activedescendant");
        expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
        await press(page, "Control+Home", "ArrowUp", "Alt+ArrowDown");
        await page.getByRole("menu").waitFor();
        const withMenu = await obstaclesIn(page);
        await press(page, "Escape", "ArrowDown", "End", "ArrowLeft", "F2");
        await page.locator(".cell-editor:focus").waitFor();
        const withEditor = await obstaclesIn(page);
        await press(page, "Escape");
        await page.getByRole("button", { name: /^Columns/ }).click();
        await page.getByRole("dialog").waitFor();
        await picture(`grid-${name}-chooser-${colorScheme}`);

        expect([withMenu, withEditor, await obstaclesIn(page)]).toEqual([[], [], []]);
      },
    );
});
