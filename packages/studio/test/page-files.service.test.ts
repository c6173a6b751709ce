import { readFile, writeFile } from "node:fs/promises";
import { type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { rowsOf as rowsIn } from "@partita/test-support/rows";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import type { Download, Page } from "playwright-core";
import { expect } from "vitest";
import { obstaclesIn } from "./chromium.ts";
import { City, Country, generatedStore } from "./generated-store.ts";
import { withLargeTable } from "./large-storage.ts";
import { describePage } from "./page-tests.ts";
import { Blog, Comment, Order, sampleStore } from "./sample-store.ts";

const blogs = { storage: sampleStore, classes: [Blog, Comment, Order] };
const places = { storage: generatedStore, classes: [City, Country], colorScheme: "dark" } as const;

const openFiles = async (page: Page): Promise<void> => {
  await page.getByRole("tab", { name: "Files and table" }).click();
  await page.getByRole("heading", { name: "Export" }).waitFor();
};

/** Exports with the button, and returns the text of the file. */
async function exported(page: Page): Promise<string> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download: Download = await saved;
  return readFile(await download.path(), "utf8");
}

describePage("files", (pageTest) => {
  pageTest(
    "of each scope and format are saved, and import with the same types",
    blogs,
    async ({ page, storage }) => {
      await page.getByRole("button", { name: "Hostile" }).click();
      await page.getByText("10 rows", { exact: true }).waitFor();
      await openFiles(page);
      const stored = await rowsIn(storage, "Hostile");
      for (const format of ["jsonl", "csv"] as const) {
        await page.getByLabel("Format").selectOption(format);
        const text = await exported(page);
        await page.getByText(`Hostile.${format}: 10 rows`).waitFor();

        await page.getByLabel("File", { exact: true }).setInputFiles({
          name: `hostile.${format}`,
          mimeType: "text/plain",
          buffer: Buffer.from(text),
        });
        await page.getByRole("columnheader", { name: "Count Int32" }).waitFor();
        await page.getByLabel("Existing rows").first().selectOption("replace");
        await page.getByRole("button", { name: "Import into Hostile" }).click();
        await page.getByText("10 rows written.").waitFor();
        expect(await rowsIn(storage, "Hostile")).toEqual(stored);
      }
    },
  );

  pageTest("have the rows of the query or the selection", places, async ({ page }) => {
    await page.locator("#query").fill("partitionKey eq 'FR' and number ge 9999900000");
    await page.keyboard.press("Enter");
    await page.getByText("10 rows", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByLabel("City where partitionKey eq 'FR' and number ge 9999900000").check();
    expect((await exported(page)).trim().split("\n")).toHaveLength(10);

    await page.getByRole("tab", { name: "Rows" }).click();
    await page.locator("#grid").focus();
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    await openFiles(page);
    expect(await page.getByLabel("1 selected row").isChecked()).toBe(true);
    const [line, ...others] = (await exported(page)).trim().split("\n");
    expect(JSON.parse(line ?? "")).toMatchObject({
      RowKey: "City_9999900000_000000290",
      "visitors@odata.type": "Edm.Int64",
    });
    expect(others).toEqual([]);
  });

  pageTest(
    "are imported by keyboard alone, with a preview and a choice for existing rows",
    places,
    async ({ page, picture, storage }) => {
      await using folder = await temporaryFolder();
      const path = folder.file("cities.csv");
      await writeFile(
        path,
        "PartitionKey,RowKey,Kind,Kind@type,name,name@type,visitors,visitors@type\r\nFR,City_9997000000_000000000,,,Paris,Edm.String,9000000000000000001,Edm.Int64\r\nXX,City_0000000001_000000001,City,Edm.String,New,Edm.String,5,Edm.Int64\r\n",
      );
      page.on("filechooser", (chooser) => void chooser.setFiles(path));
      await page.getByText("first 100 rows").waitFor();
      await page.getByRole("tab", { name: "Rows" }).focus();
      await page.keyboard.press("ArrowLeft");
      await page.getByRole("heading", { name: "Import" }).waitFor();
      await page.getByLabel("File", { exact: true }).focus();
      await page.keyboard.press("Enter");

      await page.getByRole("columnheader", { name: "visitors Int64" }).waitFor();
      await picture("import-preview-dark");
      expect(await obstaclesIn(page)).toEqual([]);

      const button = page.getByRole("button", { name: "Import into Places" });
      await button.focus();
      await page.keyboard.press("Enter");
      await page
        .getByRole("alert")
        .getByText("The table already has rows, so nothing was written.")
        .waitFor();
      await page.getByLabel("Existing rows").first().focus();
      await page.keyboard.type("change");
      await button.focus();
      await page.keyboard.press("Enter");
      await page.getByText("2 rows written.").waitFor();
      await picture("import-done-dark");

      const changed = await storage.get("Places", {
        partitionKey: "FR",
        rowKey: "City_9997000000_000000000",
      });
      expect(changed).toMatchObject({ name: "Paris", visitors: "9000000000000000001", latitude: 0 });
    },
  );

  pageTest("with lines that are not rows say which", blogs, async ({ page, storage }) => {
    await openFiles(page);
    const good = JSON.stringify({ PartitionKey: "p", RowKey: "r", Age: 5 });
    await page.getByLabel("File", { exact: true }).setInputFiles({
      name: "bad.jsonl",
      mimeType: "text/plain",
      buffer: Buffer.from(`${good}\n{"PartitionKey":"p"}\n`),
    });
    await page.getByText(/^Line 2: /).waitFor();
    await page.getByLabel("Existing rows").first().selectOption("skip");
    await page.getByRole("button", { name: "Import into Blogs" }).click();
    await page
      .getByRole("alert")
      .getByText(/Line 2: .* Correct the file/)
      .waitFor();
    await page.getByLabel("Skip lines that are not rows").check();
    await page.getByRole("button", { name: "Import into Blogs" }).click();
    await page.getByText(/1 row not written/).waitFor();
    expect(await storage.get("Blogs", { partitionKey: "p", rowKey: "r" })).toMatchObject({ Age: 5 });
  });

  /** The table ends its third read of many pages only when a test opens it. */
  let open = (): void => undefined;
  const largeStore = async (): Promise<TableStorage> => {
    const stored = withLargeTable(await sampleStore(), 135_483);
    const gate = new Promise<void>((resolve) => (open = resolve));
    let reads = 0;
    return forwardStorage(stored, {
      async query(table, query, options) {
        if (table === "Large" && query.top !== 100 && ++reads === 200) await gate;
        return stored.query(table, query, options);
      },
    });
  };
  pageTest(
    "of 135,483 rows show their progress, and a stopped one is not saved",
    { ...blogs, storage: largeStore },
    async ({ page, picture }) => {
      await page.getByRole("button", { name: "Large" }).click();
      await page.getByText("first 100 rows").waitFor();
      await openFiles(page);
      const text = await exported(page);
      expect(text.trim().split("\n")).toHaveLength(135_483);
      await page.getByText("Large.jsonl: 135,483 rows").waitFor();

      let downloads = 0;
      page.on("download", () => downloads++);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      await page.getByText(/^\d\d,\d{3} rows, \d\.\d MB$/).waitFor();
      await picture("export-runs-light");
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("The export was stopped, so no file was saved.").waitFor();
      open();
      expect(downloads).toBe(0);
    },
  );

  const failing = async (): Promise<TableStorage> => {
    const stored = withLargeTable(await sampleStore(), 50_000);
    let reads = 0;
    return forwardStorage(stored, {
      async query(table, query, options) {
        if (table === "Large" && ++reads > 20) throw new Error("The disk is gone.");
        return stored.query(table, query, options);
      },
    });
  };
  pageTest(
    "that cannot be read to the end are not saved",
    { ...blogs, storage: failing },
    async ({ page }) => {
      let downloads = 0;
      page.on("download", () => downloads++);
      await page.getByRole("button", { name: "Large" }).click();
      await openFiles(page);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      await page.getByRole("alert").getByText("no file was saved").waitFor();
      expect(downloads).toBe(0);
    },
  );
});

describePage("a table", (pageTest) => {
  pageTest("is created, copied and deleted by keyboard", places, async ({ page, picture, storage }) => {
    await page.getByText("first 100 rows").waitFor();
    await page.getByRole("button", { name: "+ New table" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Fresh");
    await page.keyboard.press("Enter");
    await page.getByText("The table Fresh was created.").waitFor();
    await page.getByText("No rows.").waitFor();
    expect(await storage.listTables()).toContain("Fresh");

    await page.getByRole("button", { name: "City" }).click();
    await openFiles(page);
    await page.getByLabel("As table").fill("PlacesCopy");
    await page.getByRole("button", { name: "Copy", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("602 rows written.").waitFor();
    await picture("table-page-dark");
    expect(await obstaclesIn(page)).toEqual([]);
    expect(await rowsIn(storage, "PlacesCopy")).toEqual(await rowsIn(storage, "Places"));

    await page.getByRole("button", { name: "Fresh" }).click();
    const drop = page.getByRole("button", { name: "Delete Fresh" });
    expect(await drop.isDisabled()).toBe(true);
    await page.getByLabel("Type Fresh").fill("fresh");
    expect(await drop.isDisabled()).toBe(true);
    await page.getByLabel("Type Fresh").fill("Fresh");
    await page.keyboard.press("Enter");
    await page.getByText("The table Fresh was deleted.").waitFor();
    expect(await storage.listTables()).not.toContain("Fresh");
    await page.getByText("first 100 rows").waitFor();
  });

  pageTest(
    "of a read-only studio can only be exported",
    { ...places, readOnly: true },
    async ({ page, picture }) => {
      await page.getByText("first 100 rows").waitFor();
      await openFiles(page);
      await picture("table-read-only-dark");

      expect(await page.getByRole("button", { name: /import|copy|delete|new table/i }).count()).toBe(0);
      expect((await exported(page)).trim().split("\n")).toHaveLength(602);
    },
  );
});
