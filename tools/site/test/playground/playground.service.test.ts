import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { chromiumPath } from "@partita/test-support/chromium-path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readExamples } from "../../src/playground/examples.ts";
import { siteFolder } from "../../src/workspace.ts";
import { launch, obstaclesIn, openPlayground } from "./browser.ts";

if (chromiumPath === undefined) console.warn("No Chromium on this machine: the playground is not tried.");

describe.skipIf(chromiumPath === undefined)("the playground in Chromium", () => {
  const folder = join(siteFolder, "temp/playground-test");
  let browser: Browser;
  beforeAll(async () => {
    const script = fileURLToPath(new URL("build-process.ts", import.meta.url));
    const env = { ...process.env, NODE_ENV: "production" };
    await promisify(execFile)(process.execPath, ["--conditions=@partita/source", script, folder], { env });
    browser = await launch();
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (options?: Parameters<typeof openPlayground>[2]): ReturnType<typeof openPlayground> =>
    openPlayground(browser, join(folder, "dist"), options);
  const plan = (page: Page, text: string): Promise<void> =>
    page.locator(".plan h2", { hasText: text }).waitFor();
  const editor = (page: Page, field: string): ReturnType<Page["locator"]> =>
    page.locator(`[data-field=${field}] .cm-content`);

  test("plans a query from a model that a visitor types, without a server", async () => {
    const { page, elsewhere, errors } = await open();
    await plan(page, "Row range scan");

    await editor(page, "model").fill(`import { defineEntity, text } from "@partita/core";
class Note extends defineEntity({
  table: "Notes",
  partitionKey: { owner: text() },
  rowKey: { title: text() },
  properties: {},
}) {}`);
    await editor(page, "rows").fill(
      '{ "Note": [{ "owner": "ann", "title": "b" }, { "owner": "ann", "title": "a" }] }',
    );
    await editor(page, "query").fill('context.query(Note).where({ owner: "ann", title: "a" })');

    await plan(page, "best Point");
    expect(await page.locator(".plan .summary").first().innerText()).toBe(
      "1 request to 1 partition: reads 1 stored row, returns 1.",
    );
    expect(await page.locator(".plan dd").innerText()).toBe("PartitionKey eq 'ann' and RowKey eq 'a'");
    expect(await page.locator("tr.returned").innerText()).toMatch(/^a\s+returned\s+Note$/);
    expect([elsewhere, errors]).toEqual([[], []]);
    await page.context().close();
  });

  test("runs each example that a guide links to", async () => {
    const { page } = await open();
    await plan(page, "Row range scan");

    for (const { name, title, program } of readExamples()) {
      await page.evaluate(`location.hash = "#${name}"`);
      await page.locator("option:checked", { hasText: title }).waitFor({ state: "attached" });
      await editor(page, "query")
        .getByText(program.query.split("\n")[0] as string)
        .waitFor();
      await page.locator("tr.returned").first().waitFor();
      expect(await page.locator(".problem").count()).toBe(0);
    }
    await page.context().close();
  });

  test("works by keyboard alone", async () => {
    const { page } = await open();
    await editor(page, "rows").waitFor();

    await page.locator("select").focus();
    await page.keyboard.press("End");
    await plan(page, "Partition scan");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").innerText()).toBe("Copy link");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("context.query(Post)");

    await plan(page, "Table scan");
    expect(await page.getByRole("textbox", { name: "Query" }).innerText()).toBe("context.query(Post)");
    expect(await page.locator(".problem").innerText()).toContain("query.scan-refused");
    expect(await page.locator(".problem a").getAttribute("href")).toBe("/errors/query.scan-refused");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").innerText()).toBe("query.scan-refused");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Sample rows");
    await page.context().close();
  });

  test("shows the line of a syntax error", async () => {
    const { page } = await open();
    await plan(page, "Row range scan");

    await editor(page, "query").fill("const a = 1;\nconst b = ;\ncontext.query(Blog)");

    await page.locator(".problem", { hasText: "SyntaxError" }).waitFor();
    expect(await page.locator(".problem strong").innerText()).toBe("Line 2: ");

    await editor(page, "query").fill('context.query(Blog).where({ channel: "Chess" })');
    await plan(page, "Partition scan");
    await editor(page, "rows").fill('{\n  "Blog": [\n    { "channel": }\n  ]\n}');
    await page.locator(".problem", { hasText: "SyntaxError" }).waitFor();
    expect(await page.locator(".problem strong").innerText()).toBe("Line 3: ");
    await page.context().close();
  });

  test("ends a program that does not end itself, and runs the next one", async () => {
    const { page } = await open();
    await plan(page, "Row range scan");

    await editor(page, "model").fill("while (true) {}");
    await page.locator(".problem", { hasText: "did not end within 3 seconds" }).waitFor();
    await page.locator("select").selectOption("all-buckets");

    await plan(page, "Partition scan");
    expect(await page.locator(".problem").count()).toBe(0);
    await page.context().close();
  });

  test("a program reaches neither the network, nor the site's storage, nor the page", async () => {
    const { page, elsewhere } = await open();
    await plan(page, "Row range scan");
    const send = 'r.open("GET", "https://elsewhere.example/", false); r.send();';

    for (const [query, error] of [
      [`const r = new XMLHttpRequest(); ${send}`, "NetworkError"],
      ['importScripts("https://elsewhere.example/script.js");', "NetworkError"],
      ['indexedDB.open("site");', "SecurityError"],
      ["document.title = 1;", "ReferenceError"],
    ] as const) {
      await editor(page, "query").fill(query);
      await page.locator(".problem", { hasText: error }).waitFor();
      await editor(page, "query").fill('context.query(Blog).where({ channel: "Chess" })');
      await plan(page, "Partition scan");
    }
    expect(elsewhere).toEqual([]);
    await page.context().close();
  });

  test("a link holds the program, and a reload keeps it", async () => {
    const { page } = await open();
    await editor(page, "query").fill('context.query(Blog).where({ channel: "Größe 🙂" })');
    await page.locator(".plan dd", { hasText: "🙂" }).waitFor();

    await page.locator("button", { hasText: "Copy link" }).click();
    await page.locator("[role=status]", { hasText: "Link copied." }).waitFor();
    const link = await page.evaluate("navigator.clipboard.readText()");
    await page.reload();
    await page.locator(".plan dd", { hasText: "🙂" }).waitFor();
    await page.context().close();

    const other = await open({ hash: new URL(String(link)).hash });
    await other.page.locator(".plan dd", { hasText: "🙂" }).waitFor();
    expect(await other.page.locator("option:checked").innerText()).toBe("Your program");
    await other.page.context().close();
  });

  test("a link that lost its end says so, and shows an example", async () => {
    const { page } = await open({ hash: "#code=abc" });

    await page.locator("[role=status]", { hasText: "The link is incomplete" }).waitFor();
    await plan(page, "Row range scan");
    expect(await page.locator(".problem").count()).toBe(0);
    await page.context().close();
  });

  test.each([
    ["light", { dark: false }],
    ["dark", { dark: true }],
    ["narrow", { width: 380 }],
  ])("has no barriers: %s", async (_name, options) => {
    const { page } = await open({ ...options, hash: "#all-buckets" });
    await editor(page, "rows").waitFor();
    await page.locator("tr.read").first().waitFor();
    expect(await obstaclesIn(page)).toEqual([]);

    await editor(page, "query").fill("nothing");
    await page.locator(".problem").waitFor();
    expect(await obstaclesIn(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.context().close();
  });

  test("loads at most 150 KiB of our code, compressed", async () => {
    const { page, loaded } = await open();
    await editor(page, "rows").waitFor();
    await plan(page, "Row range scan");

    // Those of VitePress and Vue, and the editor, which is loaded last.
    const isOfOthers = (path: string): boolean =>
      path === "/vp-icons.css" ||
      /^\/assets\/(app|style|chunks\/(framework|theme|create-editor))\.[\w-]+\.(js|css)$/.test(path);
    const ours = new Map([...loaded].filter(([path]) => !isOfOthers(path)));
    ours.set("style", readFileSync(join(siteFolder, "src/playground/page/playground.css")));
    const compressed = [...ours.values()].reduce((sum, body) => sum + gzipSync(body).length, 0);

    expect([...ours.keys()].map((path) => path.replace(/\.[\w-]{8}\./, ".")).toSorted()).toEqual([
      "/assets/chunks/playground.js",
      "/assets/playground.md.lean.js",
      "/playground-sandbox.html",
      "/playground.html",
      "style",
    ]);
    expect(compressed).toBeLessThanOrEqual(150 * 1024);
    await page.context().close();
  });
});
