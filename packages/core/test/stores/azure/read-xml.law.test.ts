import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { escapeXml, readXml, textOfChild } from "../../../src/stores/azure/wire/read-xml.ts";

/** Texts of all lengths: short ones, and long ones with and without references and other markup. */
const piece = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "x".repeat(5_000),
    " ".repeat(300),
    "a & b > c ".repeat(500),
    '"quoted" '.repeat(200),
    "\ue0000\ue000",
  ),
);

propertyTest.prop([fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 8 })])(
  "a document of any length has the texts that were written",
  (written) => {
    const texts = written.map((parts) => parts.join("").replaceAll(/[^\P{C}\ue000]/gu, "?"));
    const children = texts.map((text, i) => `<c${i} a="${escapeXml(text)}">${escapeXml(text)}</c${i}>`);
    for (const padding of ["", " ".repeat(10_000)]) {
      const [, root] = readXml(`<root>${children.join("")}<pad>${padding}</pad></root>`);

      for (const [i, text] of texts.entries()) {
        expect(textOfChild(root, `c${i}`)).toBe(text);
        expect(root.children[i]?.[1].attributes.get("a")).toBe(text.replaceAll(/[\t\n\r]/g, " "));
      }
      expect(textOfChild(root, "pad")).toBe(padding);
    }
  },
);

test("a long document may have long text in comments, CDATA and attributes, with marks of any kind", () => {
  const long = "long ".repeat(2_000);
  const document = `<r><!-- > ${long} --><a b="x > ${long}" c="1">${long}</a><d><![CDATA[<e> > ${long}]]>&amp;${long}</d></r>`;
  const [, root] = readXml(document);

  expect(textOfChild(root, "a")).toBe(long);
  expect(root.children[0]?.[1].attributes).toEqual(
    new Map([
      ["b", `x > ${long}`],
      ["c", "1"],
    ]),
  );
  expect(textOfChild(root, "d")).toBe(`<e> > ${long}&${long}`);
  for (const broken of [
    `<r>${long}`,
    `<r>${long}</s>`,
    `<r a="${long}>${long}</r>`,
    `<r>${long}<r>${long}</r>`,
  ])
    expect(() => readXml(broken)).toThrow(
      expect.objectContaining({ code: "storage.malformed-response" }) as Error,
    );
});

test.each([
  "",
  "text",
  "<r/>text",
  "<![CDATA[text]]><r/>",
  "<r/><r/>",
  "<r",
  "<r></s>",
  "<r a='1' a='2'/>",
  "<r a=1/>",
  "<r a='<'/>",
  "<r>&</r>",
  "<r>&nbsp;</r>",
  "<1/>",
  "<!DOCTYPE r><r/>",
  `${"<a>".repeat(30)}${"</a>".repeat(30)}`,
])("%s is not read", (document) => {
  expect(() => readXml(document)).toThrow(
    expect.objectContaining({ code: "storage.malformed-response" }) as Error,
  );
});

test("what stands around the root, prefixes and spaces in tags mean nothing", () => {
  const [name, root] = readXml(
    '<?xml version="1.0"?>\r\n<!-- a --><x:r\n y:a = "1\r\n2" ><b />&lt;\r\n<![CDATA[&lt;]]></x:r >\n<!-- b -->',
  );

  expect(name).toBe("r");
  expect(root.text).toBe("<\n&lt;");
  expect([...root.attributes]).toEqual([["a", "1 2"]]);
  expect(root.children.map(([child]) => child)).toEqual(["b"]);
});
