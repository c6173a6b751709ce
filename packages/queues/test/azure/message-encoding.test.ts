import { expect, test } from "vitest";
import { base64Encoding, textEncoding } from "../../src/azure/message-encoding.ts";

test.each([
  ["plain text", "hello world!"],
  ["text of the alphabet that has no whole group", "abcde"],
  ["padding in the middle", "YQ==YQ=="],
  ["bytes that are no UTF-8", Buffer.from([0xff, 0xfe, 0xfd]).toString("base64")],
  ["a surrogate as three bytes", Buffer.from([0xed, 0xa0, 0x80]).toString("base64")],
  ["the alphabet for URLs", "_-_-"],
  ["white space alone", " \n"],
])("%s that another program sent is shown as it is, and marked", (_what, stored) => {
  expect(base64Encoding.decode(stored)).toEqual({ text: stored, isMalformed: true });
});

test.each([
  ["an empty text", "", ""],
  ["lines and spaces inside of base64", "aGVs\n bG8=", "hello"],
  ["a byte order mark, which belongs to the text", "77u/eA==", "\ufeffx"],
])("%s is read from base64", (_what, stored, text) => {
  expect(base64Encoding.decode(stored)).toEqual({ text });
});

test("48 KiB of UTF-8 are the most in base64, and 64 KiB as text", () => {
  expect([base64Encoding.maxTextBytes, textEncoding.maxTextBytes]).toEqual([49_152, 65_536]);
  expect(base64Encoding.encode("orders", "é".repeat(24_576))).toHaveLength(65_536);
  expect(textEncoding.encode("orders", "é".repeat(32_768))).toHaveLength(32_768);
  const tooLarge = expect.objectContaining({ code: "queue.text-too-large", applied: "no" }) as Error;
  expect(() => base64Encoding.encode("orders", `é${"é".repeat(24_576)}`)).toThrow(tooLarge);
  expect(() => textEncoding.encode("orders", `é${"é".repeat(32_768)}`)).toThrow(tooLarge);
});

test.each([
  ["\u0000", "U+0000"],
  ["\u0007", "U+0007"],
  ["\u000b", "U+000B"],
  ["\u001f", "U+001F"],
  ["\ufffe", "U+FFFE"],
  ["\uffff", "U+FFFF"],
])(
  "text refuses %j, which XML cannot represent, and repeats nothing else of the message",
  (character, name) => {
    const send = (): string => textEncoding.encode("orders", `secret ${character} secret`);

    expect(send).toThrow(expect.objectContaining({ code: "queue.text-characters", applied: "no" }));
    expect(send).toThrow(`contains the character ${name}, which XML cannot represent.`);
    expect(send).toThrow(/messageEncoding: "base64"/);
    expect(send).not.toThrow(/secret/);
    expect(base64Encoding.decode(base64Encoding.encode("orders", character))).toEqual({ text: character });
  },
);

test("half of a surrogate pair is refused in both encodings", () => {
  for (const encoding of [base64Encoding, textEncoding])
    expect(() => encoding.encode("orders", "\ud800")).toThrow(
      expect.objectContaining({ code: "queue.text-characters" }),
    );
});
