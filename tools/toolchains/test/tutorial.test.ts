import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// Inside this package, so that the programs find the packages.
const folder = join(import.meta.dirname, "temp/tutorial");
const page = join(import.meta.dirname, "../../../docs/tutorial.md");
beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Block {
  readonly language: string;
  readonly text: string;
}

const partita = join(import.meta.dirname, "../../../packages/cli/dist/main.js");

/** The commands that the test runs; the others install, serve, or send requests. */
const isDone = (command: string): boolean =>
  /^(node [\w.]+ts|node --test|npx tsc|npx @partita\/cli upgrade .*|rm .*)$/.test(command);

test("the tutorial works from its first step to its last, and prints what it says", async () => {
  const printed: string[] = [];
  const said: string[] = [];
  const done: string[] = [];

  for (const { language, text } of blocksOf(await readFile(page, "utf8"))) {
    if (language === "json") await writeFile(join(folder, "tsconfig.json"), text);
    if (language === "ts") await writeCode(text);
    if (language === "text") said.push(text);
    if (language !== "sh") continue;
    for (const command of text.trim().split("\n").filter(isDone)) {
      const output = await doCommand(command);
      if (/^node \w/.test(command)) printed.push(output);
      done.push(command);
    }
  }

  expect(printed).toEqual(said);
  expect(done.filter((command) => command === "node --test")).toHaveLength(2);
});

const blocksOf = (text: string): Block[] =>
  Array.from(text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm), ([, language = "", code = ""]) => ({
    language,
    text: code,
  }));

/** A block is a file, by its first line, or replaces one function or class; its imports go to the top of the file. */
async function writeCode(code: string): Promise<void> {
  const [first = "", name = "", part] = /^\/\/ ([\w.]+)(?:: (\w+))?\n/.exec(code) ?? [];
  const file = join(folder, name);
  if (part === undefined) return writeFile(file, code);
  const older = new RegExp(String.raw`^(?:async function|export class) ${part}\b[\s\S]*?^}.*\n`, "m");
  const imports = (code.match(/^import .*\n/gm) ?? []).join("");
  const newer = code.slice(first.length).replaceAll(/^import .*\n/gm, "");
  const whole = await readFile(file, "utf8");
  expect(whole).toMatch(older);
  await writeFile(file, imports + whole.replace(older, () => newer));
}

async function doCommand(command: string): Promise<string> {
  const [program = "", ...args] = command.replace("npx ", "").split(" ");
  if (program === "rm") {
    await rm(join(folder, args[0] ?? "")); // rejects where there is none
    return "";
  }
  const isScript = program === "node" || program === "@partita/cli";
  const ownArgs = program === "@partita/cli" ? [partita, ...args] : args;
  const { stdout, stderr, status } = spawnSync(isScript ? process.execPath : program, ownArgs, {
    cwd: folder,
    encoding: "utf8",
    // Vitest's own is not for `node --test`.
    env: { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: "" },
  });
  expect(`${command}: ${status}\n${status === 0 ? "" : stdout + stderr}`).toBe(`${command}: 0\n`);
  return stdout;
}
