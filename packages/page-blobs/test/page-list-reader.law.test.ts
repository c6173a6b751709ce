import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { PageListReader } from "../src/page-list-reader.ts";
import { childrenOf, textOfChild } from "@partita/core/internal/azure";
import { readXml } from "@partita/core/protocol";
import { StorageError } from "@partita/core";

type Pair = readonly [start: number, end: number];

const seed = 20_261_122;

/** What the reader of XML finds in a whole document. */
const byXml = (text: string): Pair[] =>
  childrenOf(readXml(text.replace(/^\ufeff/, ""))[1], "PageRange").map((range) => [
    Number(textOfChild(range, "Start")),
    Number(textOfChild(range, "End")),
  ]);

/** What the reader finds in the same bytes, which come in pieces. */
function byReader(bytes: Buffer, pieces: readonly number[]): Pair[] {
  const found: Pair[] = [];
  const reader = new PageListReader({ push: (start, end) => found.push([start, end]) });
  let from = 0;
  for (let i = 0; from < bytes.length; i++) {
    const length = pieces[i % pieces.length] ?? 1;
    reader.take(bytes.subarray(from, from + length));
    from += length;
  }
  reader.end();
  return found;
}

const number = fc.oneof(fc.nat(100_000), fc.maxSafeNat());
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const range = fc
  .tuple(space, space, number, space, number, space)
  .map(
    ([a, b, start, c, end, d]) =>
      `${a}<PageRange>${b}<Start>${start}</Start>${c}<End>${end}</End>${d}</PageRange>`,
  );
const list = fc.array(range, { maxLength: 12 }).map((ranges) => `<PageList>${ranges.join("")}</PageList>`);
const document = fc
  .tuple(
    fc.constantFrom("", "\ufeff"),
    fc.constantFrom("", '<?xml version="1.0" encoding="utf-8"?>', '<?xml version="1.0"?>\r\n'),
    fc.oneof(list, fc.constantFrom("<PageList/>", "<PageList />", "<PageList><NextMarker/></PageList>")),
    space,
  )
  .map((parts) => parts.join(""));
const pieces = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });

test.prop([document, pieces], { seed, numRuns: 500 })(
  "finds the ranges that the reader of XML finds, in whatever pieces they come",
  (text, lengths) => {
    expect(byReader(Buffer.from(text), lengths)).toStrictEqual(byXml(text));
  },
);

test.prop([document, pieces, fc.nat(), fc.constantFrom(..."< > / x 0 & P \u00e9".split(" "), " ")], {
  seed,
  numRuns: 1000,
})(
  "refuses a damaged list, or finds in it what the reader of XML finds",
  (text, lengths, place, character) => {
    const at = place % text.length;
    const damaged = text.slice(0, at) + character + text.slice(at + 1);
    let found: Pair[];
    try {
      found = byReader(Buffer.from(damaged), lengths);
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
      expect((error as StorageError).code).toBe("storage.malformed-response");
      return;
    }
    expect(found).toStrictEqual(byXml(damaged));
  },
);

test.prop([list, pieces, fc.nat()], { seed, numRuns: 500 })(
  "refuses a list that is cut off anywhere",
  (text, lengths, place) => {
    const cut = Buffer.from(text).subarray(0, place % text.length);

    expect(() => byReader(cut, lengths)).toThrow(
      expect.objectContaining({ code: "storage.malformed-response" }),
    );
  },
);

describe("what is no list of page ranges", () => {
  const one = "<PageRange><Start>0</Start><End>511</End></PageRange>";
  for (const text of [
    "",
    "{}",
    "<EnumerationResults/>",
    "<PageList>",
    `<PageList>${one}</PageList>${one}`,
    `<PageList>${one}<NextMarker>512</NextMarker></PageList>`,
    "<PageList><PageRange><Start>0</Start></PageRange></PageList>",
    "<PageList><PageRange><Start>-1</Start><End>511</End></PageRange></PageList>",
    "<PageList><PageRange><Start></Start><End>511</End></PageRange></PageList>",
    "<PageList><PageRange><Start>0</Start><End>9007199254740992</End></PageRange></PageList>",
    "<PageList><ClearRange><Start>0</Start><End>511</End></ClearRange></PageList>",
    `<!DOCTYPE PageList><PageList>${one}</PageList>`,
    `<PageList><!-- -->${one}</PageList>`,
    `<PageList>${" ".repeat(5000)}<PageRange>${" ".repeat(5000)}`,
  ])
    test(`refuses ${JSON.stringify(text.slice(0, 70))}`, () => {
      expect(() => byReader(Buffer.from(text), [64])).toThrow(
        expect.objectContaining({ code: "storage.malformed-response" }),
      );
    });
});
