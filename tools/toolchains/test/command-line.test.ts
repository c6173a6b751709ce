import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const workspace = join(import.meta.dirname, "../../..");
// Inside this package, so that the classes that are written find the packages.
const folder = join(import.meta.dirname, "temp/command-line");
beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What depends on the hour: Timestamps, and ETags made of them. */
const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\dA%:.]+Z/g, "<time>");

test("the guide to the command line prints what it says, in its order", async () => {
  const main = join(workspace, "examples/01-quickstart/dist/main.js");
  const loaded = spawnSync(process.execPath, [main, "--limit", "5000", "--storage", "file:places.db"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(loaded.stderr).toBe("");

  const page = await readFile(join(workspace, "docs/command-line.md"), "utf8");
  const blocks = page.matchAll(/^```sh\n(npx @partita\/cli [\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```)?/gm);
  const [printed, said]: [string[], string[]] = [[], []];
  for (const [, commands = "", text] of blocks) {
    const output = commands.trim().split("\n").map(outputOf).join("");
    printed.push(withoutTimes(output));
    said.push(text === undefined ? withoutTimes(output) : withoutTimes(text));
  }

  expect(printed).toEqual(said);
  expect(said.length).toBeGreaterThan(5);
});

/** Both streams, as a terminal has them. */
function outputOf(command: string): string {
  const cli = JSON.stringify(join(workspace, "packages/cli/dist/main.js"));
  const line = command.replace("npx @partita/cli", `${JSON.stringify(process.execPath)} ${cli}`);
  return spawnSync(`${line} 2>&1`, { cwd: folder, encoding: "utf8", shell: true }).stdout;
}
