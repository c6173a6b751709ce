import { expect, test } from "vitest";
import { outerPartOf, partsOf } from "../../src/wire/multipart.ts";

const headersOf = (more: string): string =>
  `${more}Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nü\r\n--c--\r\n`;

test.each([
  ["few headers", ""],
  ["a header of other letters", "X-Name: ümläut €\r\n"],
  ["headers longer than a page", `X-Long: ${"a€".repeat(10_000)}\r\n`],
  ["headers that end where a first look does", `X-Long: ${"a".repeat(16 * 1024 - 60)}\r\n`],
])("a changeset with %s is cut where its headers end", (_name, more) => {
  const { headers, bytes } = outerPartOf(Buffer.from(headersOf(more)));

  expect(headers.get("content-type")).toBe("multipart/mixed; boundary=c");
  expect(partsOf(bytes, "c").map(String)).toEqual(["Content-Type: application/http\r\n\r\nü\r"]);
});

test("every length of headers around a first look is cut alike", () => {
  for (let length = 16 * 1024 - 140; length < 16 * 1024 + 20; length++) {
    const { bytes } = outerPartOf(Buffer.from(headersOf(`X-Long: ${"a".repeat(length)}\r\n`)));
    expect(bytes.toString()).toMatch(/^--c\r\n/);
  }
});
