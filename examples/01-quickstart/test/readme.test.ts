import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// Inside the example, so that the snippets find the packages.
const folder = join(import.meta.dirname, "../temp");
const readme = join(import.meta.dirname, "../../../README.md");
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

async function snippets(): Promise<string[]> {
  const text = await readFile(readme, "utf8");
  return Array.from(text.matchAll(/```ts\n([\s\S]*?)```/g), (match) => match[1] as string);
}

function runFile(file: string, ...flags: string[]): string {
  const options = { cwd: folder, encoding: "utf8" } as const;
  const tsc = spawnSync(
    "tsc",
    [
      file,
      "--ignoreConfig",
      "--outDir",
      ".",
      "--target",
      "es2023",
      "--lib",
      "es2023,esnext.disposable",
      "--types",
      "node",
      "--module",
      "nodenext",
      "--strict",
      "--skipLibCheck",
      ...flags,
    ],
    options,
  );
  expect(tsc.stdout).toBe("");
  const { stdout, stderr, status } = spawnSync(process.execPath, [file.replace(".ts", ".js")], options);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

test.each([["legacy", "--experimentalDecorators"], ["standard"]])(
  "the README's first program runs under %s decorators",
  async (dialect, ...flags) => {
    const [first] = await snippets();
    await writeFile(join(folder, `${dialect}.ts`), (first as string).replace("file:blogs.db", "memory:"));

    const output = runFile(`${dialect}.ts`, ...flags);

    expect(output).toMatch(
      /^row range scan \(good\) · 1 partition · PartitionKey eq 'Channel9' and RowKey le '\d{19}'/,
    );
  },
);

test("the README's class without decorators runs as it is", async () => {
  const [, second] = await snippets();
  const frame = `import { createTables, openStorage, TableContext } from "@partita/core";
${second}`.replace(
    /context\.add/,
    `await using storage = await openStorage("memory:");
await createTables(storage, [Blog]);
await using context = new TableContext(storage);
context.add`,
  );
  await writeFile(join(folder, "plain.ts"), `${frame}\nconsole.log((await context.saveChanges()).length);`);

  expect(runFile("plain.ts")).toBe("1\n");
});
