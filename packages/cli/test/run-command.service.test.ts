import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "./published.ts";

const cli = join(import.meta.dirname, "..");
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const partita = (args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });

describe("help", () => {
  test.each([[[]], [["--help"]], [["-h"]]])("%j names every command", (args) => {
    const { stdout, stderr, status } = partita(args);

    for (const command of [
      "tables",
      "copy",
      "restore",
      "completions",
      "doctor",
      "census",
      "upgrade",
      "verify",
      "patterns",
      "stress",
      "page-ranges",
      "files",
      "serve",
    ])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  test.each([
    ["doctor", /^Usage: partita doctor \[options\] \[tsconfig\.json\][\s\S]*exit code is 0/],
    ["census", /^Usage: partita census \[options\] <module\.js> <storage>/],
    ["upgrade", /--dry-run[\s\S]*--rate <n>[\s\S]*--concurrency <n>/],
    ["verify", /^Usage: partita verify \[options\] <file>[\s\S]*exit\s+code is 0 if the file is sound/],
    ["patterns", /<module\.js>[\s\S]*--json[\s\S]*exit code is 1/],
    ["stress", /--storage <storage>[\s\S]*--svg <file>[\s\S]*exit code is 1 if a target is missed/],
    ["page-ranges", /--blob <container\/name>[\s\S]*--from to continue with/],
    ["files put", /^Usage: partita files put \[options\] <storage> <local> <path>/],
    ["serve", /--tls-cert <cert\.pem>[\s\S]*Ready host=127\.0\.0\.1/],
  ])("of %s says what it takes, and does nothing else", (command, text) => {
    const { stdout, stderr, status } = partita([...command.split(" "), "--help"]);

    expect(stdout).toMatch(text);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  test.each(["--version", "-v"])("%s is that of the package", (flag) => {
    expect(partita([flag]).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("partita help <command> is the help of the command, also of a nested one", () => {
    for (const command of [["query"], ["files", "put"]])
      expect(partita(["help", ...command]).stdout).toBe(partita([...command, "--help"]).stdout);
    expect(partita(["help"]).stdout).toBe(partita(["--help"]).stdout);
  });

  test("colours are for terminals: FORCE_COLOR shows them, NO_COLOR and pipes don't", () => {
    const inColour = (env: NodeJS.ProcessEnv): boolean => {
      const { stdout, stderr } = spawnSync(process.execPath, [main, "help", "query"], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], ...env },
      });
      expect(stdout).toContain("Usage:");
      return (stdout + stderr).includes("\u001B[");
    };

    expect([{}, { FORCE_COLOR: "1" }, { NO_COLOR: "1" }].map(inColour)).toEqual([false, true, false]);
  });
});

test.each([
  [["dotcor"], 2, /^partita: unknown command 'dotcor'\. Did you mean doctor\? See partita --help\./],
  [["cuont", "--filter"], 2, /^partita: unknown command 'cuont'\. Did you mean count\?/],
  [["count", "--filtre", "x"], 2, /^partita count: unknown option '--filtre'\. Did you mean --filter\?/],
  [["help", "files", "putt"], 2, /^partita files: unknown command 'putt'\. Did you mean put\?/],
  [["get", "file:a.db", "T", "-a", "b"], 2, /If a key starts with -, write -- before the keys\./],
  [["doctor", "--fast"], 2, /^partita doctor: unknown option '--fast'\. See partita doctor --help\./],
  [["doctor", "a.json", "b.json"], 2, /^partita doctor: too many arguments/],
  [["doctor", "none.json"], 2, /^There is no .*none\.json/],
  [["census"], 2, /^partita census: missing required argument 'module\.js'/],
  [["census", "model.js", "memory:", "more"], 2, /^partita census: too many arguments/],
  [["census", "none.js", "memory:"], 2, /^There is no none\.js\./],
  [["upgrade", "model.js", "memory:", "--fast"], 2, /unknown option '--fast'/],
  [["index"], 2, /^Usage: partita index/],
  [["files"], 2, /^Usage: partita files <storage> <verb>/],
  [["files", "memory:", "lss"], 2, /^partita files needs a storage and one of ls, put, /],
  [["files", "memory:"], 2, /^partita files needs a storage and one of ls, put, /],
  [["query", "memory:", "Blog", "--module", "none.js"], 2, /^There is no none\.js\./],
  [["upgrade", "model.js", "memory:", "--rate", "0"], 2, /^--rate takes a whole number/],
])("refuses %j with a sentence", (args, code, message) => {
  const { stdout, stderr, status } = partita(args);

  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe("");
  expect(status).toBe(code);
});

test("a module that Node cannot run is named, with what to name in its place", async () => {
  const module = folder.file("decorated.ts");
  await writeFile(module, "function table(): void {}\n@table\nexport class Blog {}\n");

  const { stderr, status } = partita(["census", module, "memory:"]);

  expect(stderr).toMatch(
    /^Node cannot run \S+decorated\.ts, or a module that it imports: .*\. Give a compiled module: .*\n$/,
  );
  expect(status).toBe(1);
});

describe("what a command loads", () => {
  /** Prints every module that was loaded, at the end and on standard error. */
  const listing = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({
      resolve(specifier, context, next) {
        const resolved = next(specifier, context);
        urls.push(resolved.url);
        return resolved;
      },
    });
    process.on("exit", () => console.error(urls.join("\\n")));
  `)}`;
  const packagesLoadedBy = (...args: readonly string[]): ReadonlySet<string> => {
    const flags = ["--conditions=@partita/source", "--import", listing, join(cli, "src/main.ts")];
    const { stderr } = spawnSync(process.execPath, [...flags, ...args], { encoding: "utf8" });
    expect(stderr).toMatch(/cli\/src\/main\.ts/);
    return new Set(
      Array.from(stderr.matchAll(/packages\/(core|files|testing)\/src\//g), ([, name = ""]) => name),
    );
  };

  test("help and the doctor load no other package", () => {
    expect([...packagesLoadedBy("serve", "--help")]).toEqual([]);
    expect([...packagesLoadedBy("doctor", "none.json")]).toEqual([]);
  });

  test("a census loads the core, files their own package, and neither what serves tables", () => {
    const usageError = join(cli, "src/session/usage-error.ts");

    expect([...packagesLoadedBy("census", usageError, "memory:")]).toEqual(["core"]);
    expect([...packagesLoadedBy("files", "memory:", "ls")].toSorted()).toEqual(["core", "files"]);
  });
});

test("a package that is not installed is named, and the doctor works without any", async () => {
  await cp(join(cli, "src"), folder.file("src"), { recursive: true });
  await cp(join(cli, "package.json"), folder.file("package.json"));
  await mkdir(folder.file("node_modules"));
  await symlink(join(cli, "node_modules/commander"), folder.file("node_modules/commander"));
  const own = folder.file("src/main.ts");
  const run = (...args: string[]): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [own, ...args], { encoding: "utf8" });

  const served = run("serve");
  const counted = run("census", folder.file("src/session/usage-error.ts"), "memory:");
  const judged = run("doctor", "none.json");
  const withToken = run("tables", "https://account.table.core.windows.net");

  for (const [{ stderr, status }, name] of [
    [served, "server"],
    [counted, "core"],
  ] as const) {
    expect(stderr).toBe(`@partita/${name} is not installed: npm install @partita/${name}\n`);
    expect(status).toBe(1);
  }
  expect(judged.stderr).toMatch(/There is no .*none\.json/);
  expect(withToken.stderr).toBe("@azure/identity is not installed: npm install @azure/identity\n");
});
