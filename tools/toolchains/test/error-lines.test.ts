import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";

// What the compiler prints for a wrong declaration or condition: the sentence stands on the first line of the error.

const root = join(import.meta.dirname, "../temp/error-lines");
afterAll(() => rm(root, { recursive: true, force: true }));

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** The first lines of all errors of a program. */
async function firstLines(name: string, program: string, options: object = {}): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "wrong.ts"), program);
  // By the declarations that are published, as a user compiles.
  const compilerOptions = { noEmit: true, customConditions: [], ...options };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../../tsconfig.json", compilerOptions, include: ["wrong.ts"] }),
  );
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  return stdout
    .split("\n")
    .filter((line) => /error TS/.test(line))
    .join("\n");
}

test("defineEntity and where", async () => {
  const lines = await firstLines(
    "defined",
    `import { defineEntity, int32, type TableContext, text } from "@partita/core";
import { rename, upgrades } from "@partita/core/upgrades";
const keys = { table: "T", partitionKey: { a: text() }, rowKey: { b: text() } } as const;
export const misspelt = defineEntity({ ...keys, properties: {}, seperator: "|" });
export const chain = upgrades({ m: int32() }).to(2, rename("x", "n"));
class Fine extends defineEntity({ ...keys, properties: { n: int32() } }) {}
declare const context: TableContext;
context.query(Fine).where((f) => !f.a.eq("x"));
`,
  );

  expect(lines).toMatch(/there is no setting seperator here/);
  expect(lines).toMatch(/rename: there is no property x in this version/);
  expect(lines).toMatch(/compare with \.eq\(\), \.gt\(\) and the like, join with \.and\(\) and \.or\(\)/);
});

test.each([true, false])("decorators, legacy: %s", async (experimentalDecorators) => {
  const lines = await firstLines(
    `decorated-${experimentalDecorators}`,
    `import { Int32, Int64, newestFirst, PartitionKey, RowKey, Table } from "@partita/decorators";
@Table("Bad")
export class Bad {
  @PartitionKey() a!: string;
  @RowKey(newestFirst) at!: string;
  @Int64() big!: number;
  @Int32({ optional: true }) count!: number;
}
`,
    { experimentalDecorators },
  );

  expect(lines).toMatch(/this key format does not fit the property's type/);
  expect(lines).toMatch(/@Int64\(\) needs a property of type bigint/);
  expect(lines).toMatch(/\{ optional: true \} needs a property that may be undefined/);
});
