import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";

// What the types cost an editor: 400 classes and 800 queries over them. Instantiations do not depend on the machine.

const folder = join(import.meta.dirname, "../temp/type-cost");
afterAll(() => rm(folder, { recursive: true, force: true }));

const mostInstantiations = 720_000;

const classes = Array.from(
  { length: 400 },
  (_, i) => `
class Entity${i} extends defineEntity({
  table: "Table${i}",
  partitionKey: { tenant: text(), at: month(newestFirst) },
  rowKey: { at: newestFirst, id${i}: padded(8) },
  properties: { title: text(), count: int32().default(0), big: int64().optional(), seen: dateTime(), on: bool() },
}) {}
export const all${i} = context.query(Entity${i})
  .where((e) => e.tenant.eq("a").and(e.at.ge(new Date()), e.count.in([1, 2]).or(e.title.startsWith("x"))))
  .select("title", "count")
  .take(10)
  .toArray();
export const one${i} = context.query(Entity${i}).where({ tenant: "a", on: true }).mergeOption("noTracking").first();
`,
);

test("400 classes and 800 queries stay within 720,000 instantiations", async () => {
  await mkdir(folder, { recursive: true });
  const names = "bool, dateTime, defineEntity, int32, int64, TableContext, text";
  await writeFile(
    join(folder, "many.ts"),
    `import { ${names} } from "@partita/core";\nimport { month, newestFirst, padded } from "@partita/core/keys";\ndeclare const context: TableContext;\n${classes.join("")}`,
  );
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../tsconfig.json",
      // By the declarations that are published, as a user compiles.
      compilerOptions: { noEmit: true, customConditions: [] },
      include: ["many.ts"],
    }),
  );
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder, "--extendedDiagnostics"], {
    encoding: "utf8",
  });

  expect(stdout).not.toMatch(/error TS/);
  expect(status).toBe(0);
  const instantiations = Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
  expect(instantiations).toBeGreaterThan(0);
  expect(instantiations).toBeLessThanOrEqual(mostInstantiations);
});
