import { type EntityClass, openStorage, type TableStorage } from "@partita/core";
import { amountOf } from "@partita/test-support/effort";
import { compareTables } from "@partita/transfer";
import { expect } from "vitest";
import { obstaclesIn } from "./chromium.ts";
import { City, Country, generatedStore, numberStep } from "./generated-store.ts";
import { type Typist, typistAt } from "./keyboard.ts";
import { withLargeTable } from "./large-storage.ts";
import { addOddTable, addWideTable } from "./odd-rows.ts";
import { describePage } from "./page-tests.ts";
import { Blog, Comment, hostileTexts, Order, sampleStore } from "./sample-store.ts";

/** Rows of a kind, and what a person does with them. */
interface Rows {
  readonly name: string;
  readonly storage: () => Promise<TableStorage>;
  readonly classes: readonly EntityClass[];
  readonly table: string;
  /** The table or the class in the list of tables. */
  readonly place: string;
  /** The text after the name that the first completion gives. */
  readonly condition: string;
  /** How many rows the condition finds. */
  readonly found: string;
  /** The steps from the first column to that of a number, and to that of a text. */
  readonly numberAt: number;
  readonly textAt: number;
  /** A text that is no number of the column. */
  readonly wrong: string;
  /** The name of the text's field. */
  readonly textName: string;
  /** The keys of the row that is edited. */
  readonly key: { readonly partitionKey: string; readonly rowKey: string };
  /** The fields of a new row, and of its clone. */
  readonly fresh: readonly (readonly [name: string, text: string])[];
  readonly clone: readonly [name: string, text: string];
}

async function storeOf(table: "Wide" | "Odd" | "Large"): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  if (table === "Wide") await addWideTable(storage, 150);
  else if (table === "Odd") {
    await addOddTable(storage);
    for (const [i, Text] of hostileTexts.entries())
      await storage.write("Odd", {
        type: "insert",
        entity: { PartitionKey: "<b onclick=alert(1)>p", RowKey: `r${i}`, Text, Count: i },
      });
  } else {
    await storage.createTable("Large");
    for (let i = 0; i < 150; i++)
      await storage.write("Large", {
        type: "insert",
        entity: { PartitionKey: "a", RowKey: String(i).padStart(3, "0"), Number: i, Text: `stored ${i}` },
      });
    return withLargeTable(storage, 1_000_000);
  }
  return storage;
}

/** As many cities as the quickstart has. */
const cities = amountOf({ short: 1000, full: 1000, long: 67_740 });

const stored = {
  classes: [],
  numberAt: 3,
  textAt: 2,
  wrong: "2147483648",
  fresh: [
    ["PartitionKey", "new"],
    ["RowKey", "one"],
  ],
  clone: ["RowKey", "two"],
} as const;

const kinds: readonly Rows[] = [
  {
    name: "like the quickstart's, with key numbers above 2^31",
    storage: () => generatedStore(cities),
    classes: [City, Country],
    table: "Places",
    place: "City",
    condition: `eq 'FR' and number lt ${9_997_000_000 + 10 * numberStep(cities)}`,
    found: "10 rows",
    numberAt: 4,
    textAt: 3,
    wrong: "north",
    textName: "name",
    key: { partitionKey: "FR", rowKey: "City_9997000000_000000000" },
    fresh: [
      ["partitionKey", "AA"],
      ["number", "9999999998"],
      ["number2", "7"],
      ["name", "New town"],
      ["latitude", "1.5"],
      ["longitude", "2"],
    ],
    clone: ["number", "9999999999"],
  },
  {
    ...stored,
    name: "with 250 properties",
    storage: () => storeOf("Wide"),
    table: "Wide",
    place: "Wide",
    condition: "eq 'p' and RowKey lt '00010'",
    found: "10 rows",
    textName: "Text0",
    key: { partitionKey: "p", rowKey: "00000" },
  },
  {
    ...stored,
    name: "of hostile and odd values",
    storage: () => storeOf("Odd"),
    table: "Odd",
    place: "Odd",
    condition: "eq 'p' and RowKey lt 'hebrew'",
    found: "3 rows",
    numberAt: 3,
    textName: "Text",
    key: { partitionKey: "", rowKey: "" },
  },
  {
    ...stored,
    name: "of a million",
    storage: () => storeOf("Large"),
    table: "Large",
    place: "Large",
    condition: "eq 'a' and RowKey lt '010'",
    found: "10 rows",
    numberAt: 2,
    textAt: 3,
    textName: "Text",
    key: { partitionKey: "a", rowKey: "000" },
  },
];

const times = (count: number, key: string): string[] => Array.from({ length: count }, () => key);

/** From anywhere to the first cell of the grid. */
async function toFirstCell({ press }: Typist): Promise<void> {
  await press("/", "Escape", "Control+Home");
}

async function findAndSort(typist: Typist, rows: Rows): Promise<void> {
  const { press, type, tabTo, sees, reload } = typist;
  await tabTo(new RegExp(`^${rows.place}`), "Enter");
  await sees(/^(first 100 rows|\d+ rows)$/);
  await press("/", "Control+Space", "Enter");
  await type(rows.condition);
  await reload();
  await press("Enter");
  await sees(rows.found);
  await reload();

  await press("Control+A", "Delete", "Enter");
  await sees(/^(first 100 rows|25 rows)$/);
  await press("Escape", "Control+End", "PageUp", "PageDown", "Control+End");
  await reload();
  await press("Control+Home", ...times(rows.numberAt, "ArrowRight"), "ArrowUp", "Enter", "Enter");
  await sees(/^Sorted by/);
  await press("ArrowDown", ...times(12, "ArrowDown"), "Space");
  await sees("1 selected");
  await reload();
  await tabTo("Deselect", "Enter");
  // The third order is that of the keys.
  await press("Control+Home", ...times(rows.numberAt, "ArrowRight"), "ArrowUp", "Enter");
}

async function layOut({ press, type, tabTo, reload }: Typist, rows: Rows): Promise<void> {
  await press("/", "Escape", "Control+Home", ...times(rows.textAt, "ArrowRight"), "ArrowUp");
  await press("Shift+ArrowRight", "Control+Shift+ArrowRight", "Alt+ArrowDown", "Escape");
  await reload();
  await press("Control+Shift+ArrowLeft");
  await tabTo(/^Columns \d/, "Enter");
  await type("partitionkey");
  await tabTo(/^partitionkey/i, "Space", "Escape");
  await reload();
  await tabTo(/^Columns \d/, "Enter");
  await tabTo("Reset", "Enter", "Escape");
}

async function edit(typist: Typist, rows: Rows, storage: TableStorage): Promise<void> {
  const { press, type, tabTo, write, sees, reload } = typist;
  await toFirstCell(typist);
  await press(...times(rows.textAt, "ArrowRight"));
  await type("in the cell");
  await press("Enter", "ArrowUp");
  await press("Home", ...times(rows.numberAt, "ArrowRight"));
  await type(rows.wrong);
  await press("Enter", "ArrowUp");
  await sees("1 cell not staged");
  await reload();
  await press("ArrowDown", "F2");
  await type("77");
  await typist.reloadTo("2 cells not staged");
  await tabTo("Dismiss", "Enter");

  await toFirstCell(typist);
  await press("Control+Enter");
  await write(rows.textName, "in the form");
  await reload();
  await press("Control+Enter");
  await sees("not saved yet");
  await reload();

  await storage.write(rows.table, {
    type: "merge",
    etag: "*",
    entity: { PartitionKey: rows.key.partitionKey, RowKey: rows.key.rowKey, [rows.textName]: "theirs" },
  });
  await tabTo("Save all", "Enter");
  await sees("Another writer changed this row.");
  await tabTo(`${rows.textName}: mine`, "Space");
  await reload();
  await tabTo("Resolve", "Enter");
  await sees("The conflict is resolved.");
  await tabTo("Save all", "Enter");
  await sees(/change(s)? saved\./);
  expect(await storage.get(rows.table, rows.key)).toMatchObject({ [rows.textName]: "in the form" });
}

async function addAndRemove(typist: Typist, rows: Rows, storage: TableStorage): Promise<void> {
  const { press, type, tabTo, write, sees, reload } = typist;
  const before = await storage.query(rows.table, { top: 1 });
  await tabTo("New row", "Enter");
  for (const [name, text] of rows.fresh) await write(name, text);
  await reload();
  await press("Control+Enter");
  await sees("1 not saved yet");
  await press("Control+Enter");
  await sees("1 change saved.");

  await press("/");
  await type(`${rows.fresh[0]?.[0]} eq '${rows.fresh[0]?.[1]}'`);
  await press("Enter");
  await sees(/^1 row$/);
  await press("Escape", "Space");
  await tabTo("Clone", "Enter");
  await write(...rows.clone);
  await reload();
  await press("Control+Enter");
  await sees("1 not saved yet");
  await press("Control+Enter");
  await sees("1 change saved.");
  await sees(/^2 rows$/);

  // Both rows are copied, removed, and pasted again.
  await press("/", "Escape", "Control+Home", "Space", "ArrowDown", "Space", "Control+c");
  await sees("2 rows copied as JSON, with types.");
  await tabTo("Delete", "Enter");
  await sees("2 rows staged.");
  await reload();
  await tabTo("Save all", "Enter");
  await sees("2 changes saved.");
  await sees("No rows.");
  await press("/", "Escape", "Control+v");
  await sees("2 not saved yet");
  await reload();
  await tabTo("Discard all", "Enter");
  await sees("0 not saved yet");
  await press("Escape");
  expect((await storage.query(rows.table, { top: 1 })).entities).toEqual(before.entities);
}

async function copyCells(typist: Typist, rows: Rows): Promise<void> {
  const { press, tabTo, sees, reload } = typist;
  await press("/", "Control+A", "Delete", "Enter");
  await sees(/^(first 100 rows|\d+ rows)$/);
  await toFirstCell(typist);
  await press(...times(rows.textAt, "ArrowRight"), "Control+c");
  await sees("1 cell copied.");
  await press("ArrowDown", "Shift+ArrowDown", "Control+v");
  await sees("2 cells pasted.");
  await reload();
  await press("/", "Escape", "Control+s");
  await sees("2 not saved yet");
  await tabTo("Discard all", "Enter", "Escape");
}

describePage("by keyboard alone, rows", (pageTest) => {
  for (const rows of kinds)
    pageTest(
      `${rows.name} are found, sorted, laid out, edited, added and removed, and a reload loses nothing`,
      rows,
      async ({ page, storage }) => {
        const typist = typistAt(page);
        await findAndSort(typist, rows);
        await layOut(typist, rows);
        await edit(typist, rows, storage);
        await addAndRemove(typist, rows, storage);
        await copyCells(typist, rows);
        expect(await obstaclesIn(page)).toEqual([]);
      },
    );
});

const blogs = { storage: sampleStore, classes: [Blog, Comment, Order] };

describePage("by keyboard alone, a table", (pageTest) => {
  pageTest(
    "is created, exported, imported, copied, plotted, upgraded and deleted",
    blogs,
    async ({ page, storage }) => {
      const typist = typistAt(page);
      const { press, type, tabTo, write, sees, reload } = typist;
      await tabTo("+ New table", "Enter");
      await type("Fresh");
      await press("Enter");
      await sees("The table Fresh was created.");
      await reload();

      await tabTo(/^Orders/, "Enter");
      await sees("first 100 rows");
      await tabTo("Rows", "ArrowLeft");
      await sees("Saves rows in a file");
      const saved = page.waitForEvent("download");
      await tabTo("Export", "Enter");
      const path = await (await saved).path();
      await reload();

      await tabTo(/^Fresh/, "Enter");
      // The dialog of the browser that chooses a file is not a part of the page.
      page.on("filechooser", (chooser) => void chooser.setFiles(path));
      await tabTo("File", "Enter");
      await sees("Import into Fresh");
      await tabTo("Import into Fresh", "Enter");
      await sees("400 rows written.");
      expect(await compareTables(storage, storage, "Orders", { as: "Fresh" })).toMatchObject({
        isEqual: true,
      });
      await write("As table", "FreshCopy");
      await tabTo("Copy", "Enter");
      await sees("400 rows written.");
      await write("Type Fresh", "Fresh");
      await press("Enter");
      await sees("The table Fresh was deleted.");
      expect(await storage.listTables()).not.toContain("Fresh");
      expect(await storage.listTables()).toContain("FreshCopy");
      await reload();

      await tabTo(/^Orderv3/, "Enter");
      await tabTo("Rows", "ArrowRight");
      await tabTo("Count", "Enter");
      await sees(/^400 rows/);
      await reload();
      await tabTo("Kinds and versions", "ArrowRight");
      await tabTo("Read keys", "Enter");
      await sees("Partition heat");
      await reload();
      await tabTo("Keys and heat", "ArrowRight");
      await tabTo("Try in memory", "Enter");
      await sees("400 rows would be upgraded.");
      await reload();
      await tabTo("Theme");
      await type("Dark");
      await reload();
      expect(await obstaclesIn(page)).toEqual([]);
    },
  );
});
