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
  return runPlain(file.replace(".ts", ".js"));
}

function runPlain(file: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
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

test("the README's program without decorators runs as it is, by type stripping alone", async () => {
  const [, second] = await snippets();
  await writeFile(join(folder, "plain.ts"), (second as string).replace("file:blogs.db", "memory:"));

  expect(runPlain("plain.ts")).toBe("Hello\n");
  // Node 22 has no `await using`.
  expect(second).not.toContain("await using");
});
