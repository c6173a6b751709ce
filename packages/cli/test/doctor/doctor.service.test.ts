import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../published.ts";

// Below this package, which has the core and no decorators. With decorators: tools/toolchains/test/doctor.test.ts.
const folder = join(import.meta.dirname, "../../temp/doctor");
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function doctor(
  name: string,
  compilerOptions: object,
): Promise<{ readonly output: string; readonly status: number | null }> {
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, `${name}.json`), JSON.stringify({ compilerOptions }));
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [main, "doctor", join(folder, `${name}.json`)],
    { encoding: "utf8" },
  );
  return { output: stdout + stderr, status };
}

const strict = { strict: true, types: ["node"], module: "NodeNext" };

test.each<[string, object]>([
  ["settings that only check", { ...strict, noEmit: true, allowImportingTsExtensions: true }],
  ["settings that compile", { ...strict, target: "ES2022", skipLibCheck: true, erasableSyntaxOnly: true }],
])("tries classes of defineEntity where decorators are not installed, with %s", async (name, options) => {
  const { output, status } = await doctor(name.replaceAll(" ", "-"), options);

  expect(output).toMatch(
    /· decorators: @partita\/decorators is not installed here, so the trial uses classes of defineEntity/,
  );
  expect(output).not.toMatch(/@Property/);
  expect(output).toMatch(/✓ classes of defineEntity compile, run, and are stored and read back/);
  expect(status).toBe(0);
});

test("names a wrong flag there too", async () => {
  const { output, status } = await doctor("wrong", { ...strict, types: ["node", "nope"] });

  expect(output).toMatch(/✗ types: "nope" is not installed/);
  expect(status).toBe(1);
});
