import { openStorage, type TableStorage } from "@partita/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encoderOf } from "../src/blocks/encode-text.ts";
import { type Files, tableFiles } from "../src/index.ts";

let storage: TableStorage;
let files: Files;
beforeEach(async () => {
  storage = await openStorage("memory:");
  files = tableFiles(storage, { name: "Docs", blockSize: 5 });
});
afterEach(() => storage.close());

const samples = [
  ["utf-8", "Größe, €, 日本, 😀"],
  ["latin1", "Größe, €"],
  ["windows-1252", "Größe, €"],
  ["iso-8859-2", "Łódź"],
  ["koi8-r", "Привет"],
  ["shift_jis", "こんにちは"],
  ["euc-jp", "こんにちは"],
  ["gbk", "你好"],
  ["gb18030", "你好 😀"],
  ["big5", "你好"],
  ["euc-kr", "안녕하세요"],
  ["utf-16le", "\uFEFFGröße 😀"],
  ["utf-16be", "Größe 😀"],
] as const;

test.each(samples)(
  "a text in %s is read as it was written, however it was written",
  async (encoding, text) => {
    const options = { encoding };
    const file = await files.write("/write", text, options);
    expect(await file.text(encoding)).toBe(text);

    const log = await files.create("/writer");
    await using writer = log.writer(options);
    // In the middle of a two-unit character, too.
    for (const unit of text.split("")) await writer.write(unit);
    await writer.close();
    await log.append(text, options);
    expect(await log.text(encoding)).toBe(text + text);
  },
);

test("bytes are those of the encoding", async () => {
  const file = await files.write("/a", "Größe €", { encoding: "windows-1252" });
  expect(Buffer.from(await file.bytes())).toEqual(Buffer.from("4772f6df652080", "hex"));
  const stream = file.writable({ encoding: "utf-16be" }).getWriter();
  await stream.write("a");
  await stream.close();
  expect(Buffer.from(await file.bytes()).subarray(7)).toEqual(Buffer.from("0061", "hex"));
});

test.each([
  ["windows-1252", "日"],
  ["shift_jis", "ü"],
  ["iso-8859-2", "€"],
  ["utf-16le", "\ud800"],
])("a character that %s does not have is refused, and not replaced", async (encoding, text) => {
  const file = await files.create("/a");
  for (const call of [
    () => files.write("/b", text, { encoding }),
    () => file.append(text, { encoding }),
    () => file.writer({ encoding }).writeRecord(text),
  ])
    await expect(call()).rejects.toMatchObject({ code: "file.content" });
  expect(await file.size()).toBe(0);
});

test.each(["no-such-encoding", "iso-2022-jp", "x-user-defined"])("%s is refused", async (encoding) => {
  const file = await files.create("/a");
  for (const call of [
    async () => files.write("/b", "text", { encoding }),
    async () => file.append("text", { encoding }),
    async () => file.writer({ encoding }),
  ])
    await expect(call()).rejects.toMatchObject({ code: "file.option" });
  expect(() => encoderOf(encoding)).toThrow(expect.objectContaining({ code: "file.option" }));
});
