import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeComplete } from "../../src/disk/write-complete.ts";
import { makeTemporaryFolder, writeTemporarily } from "../../src/disk/temporary.ts";

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const host = hostname().replaceAll(/[^\w-]/g, "_");
/** No process has this number: it is beyond what Linux and macOS give. */
const ended = 99_999_999;

async function* chunks(): AsyncGenerator<string> {
  yield await Promise.resolve("all ");
  yield "data";
}

const options = { force: true, signal: new AbortController().signal };

test("while a backup or an export is written, and after it, only its owner can read it", async () => {
  const target = folder.file("all.backup");
  const modes: number[] = [];
  async function* watched(): AsyncGenerator<string> {
    for await (const chunk of chunks()) {
      const [part] = (await readdir(folder.path)).filter((name) => name.endsWith(".part"));
      modes.push(await modeOf(folder.file(part ?? "")));
      yield chunk;
    }
  }

  await writeComplete(target, watched(), options);

  expect(modes).toEqual([0o600, 0o600]);
  expect(await modeOf(target)).toBe(0o600);
  expect(await readFile(target, "utf8")).toBe("all data");
  expect(await readdir(folder.path)).toEqual(["all.backup"]);
});

test.each([0o640, 0o644, 0o600, 0o400])("a file that is replaced keeps its rights: %o", async (mode) => {
  const target = folder.file("all.backup");
  await writeFile(target, "old");
  await chmod(target, mode);

  await writeComplete(target, chunks(), options);

  expect(await modeOf(target)).toBe(mode);
});

test("a file that is got has the rights of any new file, once it is there as a whole", async () => {
  const target = folder.file("notes.txt");
  await writeTemporarily(
    target,
    async (handle) => {
      const [part] = await readdir(folder.path);
      expect(await modeOf(folder.file(part ?? ""))).toBe(0o600);
      await handle.writeFile("text");
    },
    { mode: "usual" },
  );

  expect(await modeOf(target)).toBe(0o666 & ~process.umask());
});

test("a write that fails leaves nothing, and what was there", async () => {
  const target = folder.file("all.backup");
  await writeFile(target, "old");
  const failing = async function* (): AsyncGenerator<string> {
    yield await Promise.resolve("half");
    throw new Error("It failed.");
  };

  await expect(writeComplete(target, failing(), options)).rejects.toThrow("It failed.");

  expect(await readdir(folder.path)).toEqual(["all.backup"]);
  expect(await readFile(target, "utf8")).toBe("old");
});

test("a file that another command wrote meanwhile is not replaced without --force", async () => {
  const target = folder.file("rows.jsonl");
  async function* overtaken(): AsyncGenerator<string> {
    await writeFile(target, "of the other");
    yield "late";
  }

  await expect(writeComplete(target, overtaken(), { ...options, force: false })).rejects.toThrow(
    /already exists\. --force replaces it/,
  );

  expect(await readFile(target, "utf8")).toBe("of the other");
  expect(await readdir(folder.path)).toEqual(["rows.jsonl"]);
});

test("an error names the file of the user and not the temporary one", async () => {
  const target = folder.file("none/new.csv");

  await expect(writeTemporarily(target, async () => {}, { mode: "usual" })).rejects.toMatchObject({
    code: "ENOENT",
    path: target,
  });
});

test("what no process of any host has written for a day is removed too", async () => {
  const left = [`.partita-another-host-7-0123abcd.part`, `.partita-${host}-${process.pid}-0123abcd.part`];
  const folders = ["a", "b"].map((other) => `.partita-container-${other}-7-0123abcd.dir-Ab12Cd`);
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const name of left) await writeFile(folder.file(name), "rows");
  for (const name of folders) {
    await mkdir(folder.file(name));
    await writeFile(folder.file(`${name}/scratch.db`), "rows");
  }
  for (const name of [...left, `${folders[0]}/scratch.db`, ...folders])
    await utimes(folder.file(name), yesterday, yesterday);

  await writeComplete(folder.file("new.backup"), chunks(), options);

  expect((await readdir(folder.path)).toSorted()).toEqual([folders[1], "new.backup"]);
});

test("what a killed process of this host left is removed by the next that writes there, and nothing else is", async () => {
  const left = [`.partita-${host}-${ended}-0123abcd.part`, `.partita-${host}-${ended}-0123abcd.dir-Ab12Cd`];
  const kept = [
    `.partita-${host}-${process.pid}-0123abcd.part`,
    `.partita-another-host-${ended}-0123abcd.part`,
    `.partita-${host}-${ended}.part`,
    "all.backup.99999999.part",
    "notes.part",
  ];
  for (const name of [...left, ...kept])
    if (name.includes(".dir-")) {
      await mkdir(folder.file(name));
      await writeFile(folder.file(`${name}/scratch.db`), "rows");
    } else await writeFile(folder.file(name), "rows");

  await writeComplete(folder.file("new.backup"), chunks(), options);

  expect((await readdir(folder.path)).toSorted()).toEqual([...kept, "new.backup"].toSorted());
});

test("a temporary folder is its owner's alone, and the next process finds what the last one left", async () => {
  const other = `.partita-${host}-${ended}-0123abcd.dir-Ab12Cd`;
  await mkdir(folder.file(other));

  const made = makeTemporaryFolder(folder.path);

  expect(await modeOf(made)).toBe(0o700);
  expect(await readdir(folder.path)).toHaveLength(1);
});
