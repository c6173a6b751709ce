import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const oxlint = join(dirname(createRequire(import.meta.url).resolve("oxlint/package.json")), "bin/oxlint");

/** Lints one TypeScript file in a project that takes the plug-in from the package, as users do. */
async function lint(code: string, ...options: string[]): Promise<{ messages: string[]; code: string }> {
  const folder = await mkdtemp(join(import.meta.dirname, "temp-"));
  const file = join(folder, "queries.ts");
  try {
    await writeFile(file, code);
    await writeFile(
      join(folder, ".oxlintrc.json"),
      JSON.stringify({
        jsPlugins: ["@partita/eslint-plugin"],
        categories: { correctness: "off" },
        rules: {
          "@partita/no-condition-operators": "error",
          "@partita/key-types": "error",
          "@partita/used-queries": "error",
        },
      }),
    );
    const args = [oxlint, "--format=json", ...options, "."];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    expect(stderr).toBe("");
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string }[] };
    return {
      messages: diagnostics.map((found) => `${found.code}: ${found.message}`),
      code: await readFile(file, "utf8"),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("oxlint finds operators between conditions and says the remedy", async () => {
  const { messages } = await lint(`
    export const wrong = context.query(Blog).where((b) => b.a.eq(1) || b.b.eq(2));
    export const right = context.query(Blog).where((b) => b.a.eq(wanted || 1).or(b.b.eq(2)));
  `);

  expect(messages).toEqual([
    "@partita(no-condition-operators): || keeps one of two conditions and drops the other. Write a.or(b).",
  ]);
});

test("oxlint finds queries that are not read", async () => {
  const { messages } = await lint(`
    export const blogs = await (context.query(Blog).where({ channel }) as Query<Blog>);
    const query = context.query<Blog>(Blog);
    query.take(5);
  `);

  expect(messages.map((message) => message.slice(0, 32))).toEqual([
    "@partita(used-queries): await do",
    "@partita(used-queries): take() r",
  ]);
});

test("oxlint rewrites them", async () => {
  const { code } = await lint(
    "context.query(Blog).where((b) => (b.a!.eq(1) as Predicate) || !b.b.eq(2));\n",
    "--fix",
  );

  expect(code).toBe("context.query(Blog).where((b) => b.a!.eq(1).or(b.b.eq(2).not()));\n");
});

test("functions elsewhere are found by the type of their parameter", async () => {
  const { messages } = await lint(`
    const byText = (b: Columns<Blog>) => b.a.eq(1) && b.b.eq(2);
    function byRating(b: Columns<Blog>): Predicate { return !b.a.eq(1); }
    function other(b: Other<Blog>) { return !b.a.eq(1); }
    export const found = context.query(Blog).where((b: Columns<Blog>) => b.a.eq(1) || b.b.eq(2));
  `);

  expect(messages).toHaveLength(3);
});

const blog = (imports: string, body: string): string =>
  `import { ${imports} } from "@partita/decorators";\nclass Blog {\n${body}\n}\n`;

test("key parts of decorated classes are asked to be Key<…>", async () => {
  const { messages } = await lint(
    blog(
      "constant, DateTime, GeneratedKey, Key, month, padded, PartitionKey as Partition, RowKey, Text, ulid",
      `  @Partition() channel!: string;
  @Partition(month) @DateTime() postedOn!: Key<Date>;
  @RowKey(padded(5)) no!: Key<number>;
  @RowKey(ulid) generated!: GeneratedKey<string>;
  @DateTime() @RowKey(month) editedOn!: Date;
  @RowKey() untyped = "x";
  @RowKey(constant("Settings")) type = "Settings" as const;
  @RowKey(constant("BIB:", padded(5))) bib!: number;
  @Text() text!: string;
  @Other() @Column.RowKey() other!: string;`,
    ),
  );

  const message = (decorator: string, property: string, type: string): string =>
    `@partita(key-types): @${decorator} is on ${property}, but its type is not Key<…>, so find() compiles without it. Write Key<${type}>.`;
  expect(messages.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    message("PartitionKey", "channel", "string"),
    message("RowKey", "bib", "number"),
    message("RowKey", "editedOn", "Date"),
    message("RowKey", "untyped", "…"),
  ]);
});

test("decorators of other packages are left alone, and imports as a whole are followed", async () => {
  const { messages } = await lint(`
    import { PartitionKey } from "another-library";
    import * as partita from "@partita/decorators";
    class Blog {
      @PartitionKey() other!: string;
      @partita.PartitionKey() channel!: partita.Key<string>;
      @partita.RowKey() id!: string;
    }
  `);

  expect(messages).toEqual([
    "@partita(key-types): @RowKey is on id, but its type is not Key<…>, so find() compiles without it. Write partita.Key<string>.",
  ]);
});

test("a suggestion wraps the type, and imports Key where it is missing", async () => {
  const known = await lint(
    blog("type Key, PartitionKey", `  @PartitionKey() channel!: "a" | "b";`),
    "--fix-suggestions",
  );
  const missing = await lint(
    blog("PartitionKey", "  @PartitionKey() channel!: string;"),
    "--fix-suggestions",
  );

  expect(known.code).toBe(blog("type Key, PartitionKey", `  @PartitionKey() channel!: Key<"a" | "b">;`));
  expect(missing.code).toBe(blog("PartitionKey, type Key", "  @PartitionKey() channel!: Key<string>;"));
});
