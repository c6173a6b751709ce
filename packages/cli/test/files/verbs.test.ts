import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TestSession, testSession } from "./session.ts";

let session: TestSession;
let folder: TemporaryFolder;
beforeEach(async () => {
  [session, folder] = await Promise.all([testSession(), temporaryFolder()]);
});
afterEach(async () => {
  await session[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe("ls", () => {
  beforeEach(async () => {
    await session.files.write("/logs/a", "12345", { contentType: "text/plain" });
    await session.files.write("/logs/a", "123");
    await session.files.write("/logs2", "");
    await session.files.write("/notes", "x");
  });

  test("prints the paths that begin with a text, one a line", async () => {
    expect((await session.run("ls")).out).toBe("/logs/a\n/logs2\n/notes\n");
    expect((await session.run("ls", "/logs")).out).toBe("/logs/a\n/logs2\n");
    expect((await session.run("ls", "/logs/")).out).toBe("/logs/a\n");
  });

  test("prints a table with its head on a terminal, and lengths with -l", async () => {
    const { out } = await session.runWith({ isTTY: true }, "ls", "/logs/", "-l");

    expect(out).toMatch(
      /^ +Size +Version +Written \(UTC\) +Type +Path\n +3 B +2 +\d{4}-\d\d-\d\d [\d:]{8} +- +\/logs\/a\n$/,
    );
  });

  test("prints the versions of a path, also of one that was deleted", async () => {
    await session.files.delete("/logs/a");

    const { out } = await session.run("ls", "/logs/a", "--versions", "-l");

    expect(out).toMatch(/^ +3 B +2 +deleted .*\n +5 B +1 +deleted .*text\/plain +\/logs\/a\n$/);
  });

  test("prints JSON lines that have paths as they are", async () => {
    await session.files.write("/notes/\u001b[2J\n", "");

    const [, line = ""] = (await session.run("ls", "/notes", "--json")).out.split("\n");

    expect(JSON.parse(line)).toMatchObject({ path: "/notes/\u001b[2J\n", version: 1, state: "current" });
  });

  test("never sends control characters of a path to a terminal", async () => {
    await session.files.write("/notes/\u001b[2J\n\u009b", "");

    const { out } = await session.runWith({ isTTY: true }, "ls", "/notes/");

    expect(out).toContain("/notes/\\u001b[2J\\u000a\\u009b");
  });

  test("says that there is nothing, and is no failure", async () => {
    expect(await session.run("ls", "/none")).toStrictEqual({
      code: 0,
      out: "",
      messages: "There are no such files.\n",
    });
  });

  test("lists more files than are measured together, in their order", async () => {
    for (let i = 0; i < 35; i++) await session.files.write(`/many/${10 + i}`, "x".repeat(i));

    const lines = (await session.run("ls", "/many", "-l")).out.trimEnd().split("\n");

    expect(lines.map((line) => line.trim().split(" ")[0])).toStrictEqual(
      Array.from({ length: 35 }, (_, i) => String(i)),
    );
  });
});

describe("put", () => {
  test("stores a file with its bytes, and the type that is named", async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));
    await writeFile(folder.file("a.bin"), bytes);

    const { out, code } = await session.run("put", folder.file("a.bin"), "/x/", "--type", "image/png");

    const file = await session.files.open("/x/a.bin");
    expect(Buffer.from((await file?.bytes()) ?? []).equals(bytes)).toBe(true);
    expect(file?.info.contentType).toBe("image/png");
    expect(out).toBe("Wrote /x/a.bin, version 1: 4.88 KiB.\n");
    expect(code).toBe(0);
  });

  test("leaves the type open where none is named", async () => {
    await session.runWith({ input: [Buffer.from("a")] }, "put", "-", "/a.html");

    expect((await session.files.open("/a.html"))?.info.contentType).toBeUndefined();
  });

  test("draws a bar on a terminal, and removes it", async () => {
    await writeFile(folder.file("a"), "x".repeat(2048));

    const { messages } = await session.runWith({ isTTY: true }, "put", folder.file("a"), "/a");

    expect(messages).toMatch(/█{40} 100 % {2}2 KiB of 2 KiB/);
    expect(messages.endsWith("\r\u001b[K")).toBe(true);
  });

  test("an older version stays where the file cannot be read, or the path is none", async () => {
    await session.files.write("/a", "old");

    await expect(session.run("put", folder.file("none"), "/a")).rejects.toThrow(/^There is no .*none\.$/);
    await expect(session.runWith({ input: [Buffer.from("a")] }, "put", "-", "/a/../b")).rejects.toThrow(
      /segment/,
    );
    await expect(session.run("put", "-", "/a/")).rejects.toThrow(/has no name/);

    expect(await (await session.files.open("/a"))?.text()).toBe("old");
  });

  test("an older version stays where it is stopped on the way", async () => {
    await session.files.write("/a", "old");
    const stop = new AbortController();
    const endless = {
      *[Symbol.iterator]() {
        for (let count = 0; ; count++) {
          if (count === 20) stop.abort();
          yield Buffer.alloc(100_000);
        }
      },
    };

    const run = session.runWith({ input: endless as never, signal: stop.signal }, "put", "-", "/a");

    await expect(run).rejects.toThrow(/abort|cancelled|were stored/);
    expect(await (await session.files.open("/a"))?.text()).toBe("old");
  });

  test("stores all files below a folder, follows links to files alone, and says what it left out", async () => {
    await mkdir(folder.file("in/b"), { recursive: true });
    await writeFile(folder.file("in/a"), "1");
    await writeFile(folder.file("in/b/c"), "22");
    await symlink(folder.file("in"), folder.file("in/loop"));
    await symlink(folder.file("in/a"), folder.file("in/link"));

    const { out, messages } = await session.run("put", folder.file("in"), "/docs");

    expect((await session.run("ls")).out).toBe("/docs/a\n/docs/b/c\n/docs/link\n");
    expect(out).toBe("Wrote 3 files of 3, 4 B, to /docs.\n");
    expect(messages).toBe(`Left out ${folder.file("in/loop")}: it is not a file.\n`);
  });
});

describe("get", () => {
  test("writes a file under a name, into a folder, or to standard output", async () => {
    await session.files.write("/x/a", "one\u0000\n");

    await session.run("get", "/x/a", folder.file("b"));
    await session.run("get", "/x/a", folder.path);

    expect((await session.run("get", "/x/a", "-")).out).toBe("one\u0000\n");
    expect(await readFile(folder.file("b"), "utf8")).toBe("one\u0000\n");
    expect((await readdir(folder.path)).toSorted()).toStrictEqual(["a", "b"]);
  });

  test("writes an older version", async () => {
    await session.files.write("/a", "1");
    await session.files.write("/a", "2");

    expect((await session.run("get", "/a", "-", "--version", "1")).out).toBe("1");
    await expect(session.run("get", "/a", "-", "--version", "3")).rejects.toThrow(
      /^file\.missing: .*version 3/,
    );
  });

  test("replaces a file that is there only with --force", async () => {
    await session.files.write("/a", "new");
    await writeFile(folder.file("a"), "old");

    await expect(session.run("get", "/a", folder.path)).rejects.toThrow(/^files\.local-exists: /);
    expect(await readFile(folder.file("a"), "utf8")).toBe("old");
    await session.run("get", "/a", folder.path, "--force");

    expect(await readFile(folder.file("a"), "utf8")).toBe("new");
    expect(await readdir(folder.path)).toStrictEqual(["a"]);
  });

  test("leaves nothing behind where it is stopped", async () => {
    await session.files.write("/a", "x".repeat(100_000));
    const signal = AbortSignal.abort();

    await expect(session.runWith({ signal }, "get", "/a", folder.file("a"))).rejects.toThrow(
      /abort|cancelled|were stored/,
    );

    expect(await readdir(folder.path)).toStrictEqual([]);
  });

  test("a damaged file is not written, nor what is there replaced", async () => {
    const file = await session.files.write("/a", "x".repeat(2500));
    const { entities } = await session.storage.query("PartitaFiles", {});
    const block = entities.find((row) => row["Size"] === 500);
    if (block === undefined) throw new Error("There is no block of 500 bytes.");
    const { PartitionKey, RowKey } = block;
    const entity = { PartitionKey, RowKey, Size: 499 };
    await session.storage.write("PartitaFiles", { type: "merge", entity, etag: "*" });
    await writeFile(folder.file("a"), "old");
    expect(await file.blockCount()).toBe(3);

    await expect(session.run("get", "/a", folder.file("a"), "--force")).rejects.toMatchObject({
      code: "file.damaged",
    });

    expect(await readFile(folder.file("a"), "utf8")).toBe("old");
    expect(await readdir(folder.path)).toStrictEqual(["a"]);
  });

  test("writes a folder, and goes on after a file that cannot be written", async () => {
    await session.files.write("/d/a", "1");
    await session.files.write("/d/b/c", "2");
    await session.files.write(`/d/${"n".repeat(300)}`, "3");
    await session.files.write("/d2", "4");
    await mkdir(folder.file("out"));
    await writeFile(folder.file("out/a"), "old");

    const { code, out, messages } = await session.run("get", "-r", "/d", folder.file("out"));

    expect(await readFile(folder.file("out/a"), "utf8")).toBe("old");
    expect(await readFile(folder.file("out/b/c"), "utf8")).toBe("2");
    expect((await readdir(folder.file("out"))).toSorted()).toStrictEqual(["a", "b"]);
    expect(messages.match(/^files\.local-(exists|name): /gm)).toHaveLength(2);
    expect(out).toBe(`Wrote 1 file, 1 B, into ${folder.file("out")}. 2 files left out.\n`);
    expect(code).toBe(1);
  });

  test("links in the folder never lead out of it", async () => {
    await session.files.write("/d/link/a", "1");
    await session.files.write("/d/link/new/b", "1");
    await mkdir(folder.file("out"));
    await mkdir(folder.file("elsewhere"));
    await symlink(folder.file("elsewhere"), folder.file("out/link"));

    const { code, messages } = await session.run("get", "/d/", folder.file("out"), "--force");

    expect(await readdir(folder.file("elsewhere"))).toStrictEqual([]);
    expect(messages.match(/^files\.local-link: /gm)).toHaveLength(2);
    expect(code).toBe(1);
  });

  test("a folder without files, and one into standard output, are refused", async () => {
    await expect(session.run("get", "/none/", folder.path)).rejects.toThrow(/^file\.missing: /);
    await expect(session.run("get", "-r", "/none", "-")).rejects.toThrow(/needs a local folder/);
    await expect(session.run("get", "-r", "none", folder.path)).rejects.toThrow(/starts with \//);
  });
});

describe("tail", () => {
  const appended = async (count: number): Promise<void> => {
    const file = await session.files.create("/log");
    for (let i = 0; i < count; i++) await file.append(`${i}\n`);
  };

  test("prints the last ten blocks, or so many", async () => {
    await appended(25);

    expect((await session.run("tail", "/log")).out).toBe("15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n");
    expect((await session.run("tail", "/log", "-n", "2")).out).toBe("23\n24\n");
    expect((await session.run("tail", "/log", "-n", "0")).out).toBe("");
    expect((await session.run("tail", "/log", "-n", "100")).out.split("\n")).toHaveLength(26);
  });

  test("counts blocks, and not those that are missing between them", async () => {
    await appended(20);
    const file = await session.files.open("/log");
    for (let i = 2n; i < 19n; i++) await file?.deleteBlock(i);
    await file?.writeBlock(100n, "100\n");

    expect((await session.run("tail", "/log", "-n", "3")).out).toBe("1\n19\n100\n");
  });

  test("follows what is appended until the file is deleted", async () => {
    await appended(3);
    const file = await session.files.open("/log");

    const printed = Promise.withResolvers<void>();
    const run = session.runWith({ onPrinted: printed.resolve }, "tail", "-f", "-n", "1", "/log");
    await printed.promise;
    await file?.append("more\n");
    await session.files.delete("/log");

    const { code, out, messages } = await run;
    expect(out).toBe("2\nmore\n");
    expect(messages).toContain("deleted");
    expect(code).toBe(0);
  });

  test("an empty file has no blocks", async () => {
    await session.files.create("/log");

    expect((await session.run("tail", "/log")).out).toBe("");
    expect((await session.run("cat", "/log")).out).toBe("");
  });
});

describe("rm", () => {
  beforeEach(async () => {
    for (const path of ["/d", "/d/a", "/d/b/c", "/d2", "/e"]) await session.files.write(path, "x");
  });

  test("removes one file", async () => {
    expect((await session.run("rm", "/d")).out).toBe("Deleted /d.\n");
    expect((await session.run("ls")).out).toBe("/d/a\n/d/b/c\n/d2\n/e\n");
    await expect(session.run("rm", "/d")).rejects.toThrow(/^file\.missing: /);
  });

  test("removes a folder and the file of its path, and none that only begins with it", async () => {
    expect((await session.run("rm", "-r", "/d", "--dry-run")).out).toBe("/d\n/d/a\n/d/b/c\n");
    expect((await session.run("ls")).out).toContain("/d/a\n");

    expect((await session.run("rm", "-r", "/d")).out).toBe("Deleted 3 files at /d and below it.\n");

    expect((await session.run("ls")).out).toBe("/d2\n/e\n");
    await expect(session.run("rm", "-r", "/d")).rejects.toThrow(/^file\.missing: /);
  });

  test("removes only what is below a path with / at its end, which for / is all", async () => {
    await session.run("rm", "-r", "/d/");
    expect((await session.run("ls")).out).toBe("/d\n/d2\n/e\n");

    await session.run("rm", "-r", "/");
    expect((await session.run("ls")).out).toBe("");
  });

  test.each(["", "d", "//", "/d//"])("refuses %j as a folder", async (path) => {
    await expect(session.run("rm", "-r", path)).rejects.toThrow(/starts with \//);
    await expect(session.run("rm", "-r", path, "--dry-run")).rejects.toThrow(
      /starts? with \/|start with \/|empty names|two \/ in a row/,
    );
  });
});

test("stat prints what is known of a file", async () => {
  await session.files.write("/a", "x".repeat(2500), { contentType: "text/plain", metadata: { by: "Ann" } });

  const { out } = await session.run("stat", "/a");
  const json: unknown = JSON.parse((await session.run("stat", "/a", "--json")).out);

  expect(out).toMatch(
    /^Path +\/a\nVersion +1, current\nSize +2\.44 KiB \(2,500 bytes\) in 3 blocks\nType +text\/plain\n/,
  );
  expect(out).toMatch(/\nMetadata +\{"by":"Ann"\}\n$/);
  expect(json).toMatchObject({ path: "/a", size: 2500, blocks: 3, metadata: { by: "Ann" } });
  await expect(session.run("stat", "/b")).rejects.toThrow(/^file\.missing: /);
});

test("mv and cp keep the bytes, and a path that ends with / keeps the name", async () => {
  await session.files.write("/a", "x".repeat(2500), { contentType: "text/plain" });

  expect((await session.run("cp", "/a", "/d/")).out).toBe("Copied to /d/a, version 1.\n");
  expect((await session.run("mv", "/a", "/b")).out).toBe("Moved to /b, version 1.\n");

  expect((await session.run("ls")).out).toBe("/b\n/d/a\n");
  expect((await session.run("cat", "/b")).out).toBe("x".repeat(2500));
  expect((await session.files.open("/d/a"))?.info.contentType).toBe("text/plain");
  await expect(session.run("mv", "/a", "/c")).rejects.toThrow(/^file\.missing: /);
});
