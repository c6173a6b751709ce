import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromiumPath } from "@partita/test-support/chromium-path";
import { build, transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundlers } from "../src/bundlers.ts";
import { type PackedProject, unpackedProject } from "../src/packed-project.ts";
import { runWell } from "../src/run.ts";

// What a page pays for models and key formats, and whether they work there.

let project: PackedProject;
beforeAll(async () => {
  project = await unpackedProject();
});
afterAll(() => project[Symbol.asyncDispose]());

/** The program of a page as one script. `conditions` are those of a bundler that knows no `module`. */
async function pageScript(conditions?: string[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(project.folder, "in-browser.mjs")],
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    write: false,
    logLevel: "error",
    ...(conditions && { conditions }),
  });
  return outputFiles[0]?.text ?? "";
}

if (chromiumPath === undefined) console.warn("No Chromium on this machine: pages are not tried.");

describe.skipIf(chromiumPath === undefined)("a page in Chromium", () => {
  test.each([
    ["", undefined, ""],
    [", bundled without the condition module", [], ""],
    [" that compiles no text", undefined, "script-src 'unsafe-inline'"],
  ])("declares a class, makes keys and plain data, and reads it back%s", async (_how, conditions, policy) => {
    const folder = await mkdtemp(join(project.folder, "page-"));
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    const script = (await pageScript(conditions)).replaceAll("</script", "<\\/script");
    await writeFile(
      join(folder, "page.html"),
      `<!doctype html><meta charset="utf-8">${policy && meta}<script>${script}</script>`,
    );

    const flags = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${join(folder, "profile")}`,
    ];
    const page = await runWell(chromiumPath ?? "", [
      ...flags,
      "--dump-dom",
      `file://${join(folder, "page.html")}`,
    ]);

    const title = /<title>(.*)<\/title>/.exec(page)?.[1] ?? page;
    expect(JSON.parse(title)).toEqual({
      partitionKey: "ada",
      rowKey: "00000042",
      withoutDigest: "key.no-digest",
      ulids: true,
      plain: {
        customer: "ada",
        number: 42,
        note: "a \u{1f642} note",
        isPaid: true,
        items: 3,
        total: "12",
        weight: 0.5,
        placedAt: "1970-01-01T00:00:00.000Z",
        id: "4185404a-5818-48c3-b9be-f217df0dba6f",
        tags: ["new"],
        status: "open",
        picture: 400,
      },
      read: true,
    });
  });
});

const toModules = bundlers.filter(({ format }) => format === "ESM");
test.each(toModules.map((bundler) => [bundler.name, bundler] as const))(
  "one key format is at most 5 KiB of a program bundled by %s",
  async (_name, { bundle }) => {
    const folder = await mkdtemp(join(project.folder, "format-"));
    const entry = join(project.folder, "format.mjs");
    await writeFile(
      entry,
      'import { padded } from "@partita/core/keys"; console.log(padded(3).encode(7), padded(3).decode("007"));',
    );

    const file = await bundle(entry, folder);

    const { code } = await transform(await readFile(file, "utf8"), { minify: true, treeShaking: true });
    expect(code.length).toBeLessThanOrEqual(5120);
    expect(await runWell(process.execPath, [file])).toBe("007 7");
  },
);
