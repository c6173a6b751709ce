import { mkdir, writeFile } from "node:fs/promises";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openTarget } from "../../src/storage/open-target.ts";
import { storageTarget } from "../../src/storage/storage-target.ts";

let folder: TemporaryFolder;
const warnings: string[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  warnings.length = 0;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

const targetOf = (text: string, below = ""): string =>
  storageTarget(text, (warning) => warnings.push(warning), folder.file(below));

const configure = (config: unknown): Promise<void> =>
  writeFile(folder.file("partita.config.json"), typeof config === "string" ? config : JSON.stringify(config));

const secret: string = "AccountName=a;AccountKey=c2VjcmV0";

test("names of partita.config.json stand for storages, in folders below it, too", async () => {
  vi.stubEnv("PROD_STORAGE", secret);
  await configure({
    storages: {
      local: "file:data/a.db",
      prod: { env: "PROD_STORAGE" },
      cloud: { url: "https://a.table.core.windows.net" },
    },
  });
  await mkdir(folder.file("below"));

  expect(targetOf("local", "below")).toBe(`file:${folder.file("data/a.db")}`);
  expect(targetOf("prod")).toBe(secret);
  expect(targetOf("cloud")).toBe("https://a.table.core.windows.net");
  expect(targetOf("env:PROD_STORAGE")).toBe(secret);
  expect(targetOf("file:b.db")).toBe("file:b.db");
  expect(targetOf("UseDevelopmentStorage=true")).toBe("UseDevelopmentStorage=true");
  expect(warnings).toEqual([]);
});

test("a file that begins with a byte order mark is read", async () => {
  await configure(`\uFEFF${JSON.stringify({ storages: { local: "memory:" } })}`);

  expect(targetOf("local")).toBe("memory:");
});

test.each([
  ["a key", secret, "c2VjcmV0"],
  ["a password", "postgres://app:hunter2@db.example/shop", "hunter2"],
])("%s on the command line or in the file is warned of, and not repeated", async (_, target, hidden) => {
  await configure({ storages: { prod: target } });

  targetOf(target);
  targetOf("prod");

  expect(warnings).toEqual([
    expect.stringContaining("a key or password on the command line"),
    expect.stringContaining("to an environment variable"),
  ]);
  expect(warnings.join()).not.toContain(hidden);
});

test("a file that is named without file: is told of", async () => {
  await writeFile(folder.file("blogs.db"), "");

  expect(() => targetOf("blogs.db")).toThrow(/ The file of this name is file:blogs\.db\.$/);
  expect(() => targetOf("./blogs.db")).toThrow(
    /^There is no storage \.\/blogs\.db: .* The file of this name is file:\.\/blogs\.db\.$/,
  );
  expect(() => targetOf("posts.db")).toThrow(/ or env:NAME\.$/);
});

test.each<[string, unknown, RegExp]>([
  [
    "staging",
    { storages: { prod: "memory:" } },
    /^There is no storage staging: partita\.config\.json has prod\./,
  ],
  ["c2VjcmV0/+", { storages: {} }, /^There is no storage: /],
  ["prod", "{ secret", /is not JSON\.$/],
  ["prod", {}, /has no "storages"/],
  ["prod", { storages: { prod: 5 } }, /gives no storage for "prod"/],
  ["prod", { storages: { prod: { env: "A", url: "B" } } }, /gives no storage for "prod"/],
  ["prod", { storages: { prod: { env: "PARTITA_NOT_SET" } } }, /PARTITA_NOT_SET is not set/],
  ["constructor", { storages: {} }, /^There is no storage constructor/],
])("%s is refused with %j", async (text, config, message) => {
  await configure(config);

  expect(() => targetOf(text)).toThrow(message);
});

test("the URL of an account is opened with the tokens of @azure/identity", async () => {
  await using storage = await openTarget("https://account.table.core.windows.net");

  expect(storage.description).toContain("account.table.core.windows.net");
});
