import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main, published } from "../published.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(folder.file("good.mjs"), modelWith("row range scan"));
  await writeFile(folder.file("wide.mjs"), modelWith("point"));
  await writeFile(folder.file("none.mjs"), "export const a = 1, b = null;");
});
afterAll(() => folder[Symbol.asyncDispose]());

const modelWith = (
  atMost: string,
  core = published("core"),
  keys = published("core", "keys"),
  patterns = published("patterns"),
): string => `
import { defineEntity, text } from ${JSON.stringify(core)};
import { newestFirst } from ${JSON.stringify(keys)};
import { anyText, definePatterns, pattern, withinDays } from ${JSON.stringify(patterns)};
export class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: {},
}) {}
export const patterns = definePatterns({
  latest: pattern(
    Post,
    { channel: anyText(), since: withinDays(31) },
    (query, { channel, since }) => query.where((p) => p.channel.eq(channel).and(p.postedOn.ge(since))),
    { atMost: ${JSON.stringify(atMost)} },
  ),
});
export default patterns;
`;

function partita(...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [main, "patterns", ...args], { encoding: "utf8" });
}

test("patterns that hold are a table with ratings, and the exit code is 0", () => {
  const { stdout, stderr, status } = partita(folder.file("good.mjs"));

  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\| Pattern \| Plan +\| Rating \| Requests \| Partitions \| Ranges /);
  expect(stdout.match(/^\| latest +\| row range scan \| good +\| 1 +\| 1 +\|/gm)).toHaveLength(1);
  expect(stdout).toMatch(/All of them hold for the [\d,]+ values that were checked\.\n$/);
  expect(status).toBe(0);
});

test("a pattern that is too wide is named with the value that shows it, and the exit code is 1", () => {
  const { stdout, stderr, status } = partita(folder.file("wide.mjs"));

  expect(stdout).toMatch(/^\| latest +\| row range scan /m);
  expect(stderr).toMatch(
    /^The access pattern "latest" becomes a row range scan, but may be at most a point, with \{ channel: "", since: new Date\("/,
  );
  expect(status).toBe(1);
});

test("--json is for programs", () => {
  const good = partita(folder.file("good.mjs"), "--json");
  expect(JSON.parse(good.stdout)).toMatchObject([
    { name: "latest", type: "row range scan", rating: "good", requests: 1, partitions: 1 },
  ]);
  expect(good.status).toBe(0);
  const wide = partita("--json", folder.file("wide.mjs"));
  expect(JSON.parse(wide.stdout)).toMatchObject([{ failure: { code: "pattern.too-wide" } }]);
  expect(wide.status).toBe(1);
});

test.each([
  [[], 2, /missing required argument 'module\.js'/],
  [["a.js", "b.js"], 2, /too many arguments/],
  [["--fast"], 2, /unknown option '--fast'/],
  [["nowhere.js"], 2, /^There is no nowhere\.js\./],
])("called with %j it says what is wrong", (args, code, message) => {
  const { stderr, status } = partita(...args);

  expect(stderr).toMatch(message);
  expect(status).toBe(code);
});

test("a module without patterns is named", () => {
  const { stderr, status } = partita(folder.file("none.mjs"));

  expect(stderr).toMatch(/none\.mjs exports no access patterns\. Give the compiled module/);
  expect(status).toBe(1);
});

test("without @partita/testing, the command says how to install it", async () => {
  const packages = join(import.meta.dirname, "../../..");
  const modules = folder.file("bare/node_modules");
  for (const name of ["cli", "core", "patterns"]) {
    const own = join(modules, "@partita", name);
    await mkdir(own, { recursive: true });
    await cp(join(packages, name, "dist"), join(own, "dist"), { recursive: true });
    await cp(join(packages, name, "package.json"), join(own, "package.json"));
  }
  await symlink(
    await realpath(join(packages, "cli/node_modules/commander")),
    join(modules, "commander"),
    "junction",
  );
  const module = folder.file("bare/good.mjs");
  await writeFile(
    module,
    modelWith("row range scan", "@partita/core", "@partita/core/keys", "@partita/patterns"),
  );

  const command = join(modules, "@partita/cli/dist/main.js");
  const { stderr, status } = spawnSync(process.execPath, [command, "patterns", module], { encoding: "utf8" });

  expect(stderr).toContain("npm install --save-dev @partita/testing");
  expect(status).toBe(1);
});
