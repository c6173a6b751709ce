import { fc, test as propertyTest } from "@fast-check/vitest";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect } from "vitest";
import { readXml, type XmlElement } from "../../../src/stores/azure/wire/read-xml.ts";

// What we read of XML is what a library reads of it; what the library refuses, we refuse, too.

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  cdataPropName: "#cdata",
});

/** An element as plain data, by either reader: its name, attributes, text and children. */
type Plain = readonly [name: string, attributes: object, text: string, children: readonly Plain[]];

const plainOf = ([name, { attributes, text, children }]: readonly [string, XmlElement]): Plain => [
  name,
  Object.fromEntries(attributes),
  text,
  children.map(plainOf),
];

type Node = Readonly<Record<string, unknown>>;

function plainOfNode(node: Node): Plain {
  const name = Object.keys(node).find((key) => key !== ":@") as string;
  const inner = node[name] as readonly Node[];
  const text = inner.map((child) => (child["#text"] as string | undefined) ?? cdataOf(child) ?? "").join("");
  const children = inner.filter((child) => !("#text" in child) && !("#cdata" in child));
  return [name, { ...(node[":@"] as object | undefined) }, text, children.map(plainOfNode)];
}

const cdataOf = (node: Node): string | undefined =>
  (node["#cdata"] as readonly Node[] | undefined)?.map((part) => String(part["#text"])).join("");

const name = fc.constantFrom("a", "Name", "d:Prop", "m:properties", "x-1");
const text = fc
  .string({ unit: fc.constantFrom("a", " ", "é", "😀", "0", "&amp;", "&lt;", "&gt;", "&quot;", "&apos;") })
  .filter((found) => found.trim() !== "" || found === "");
const element = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .record({
      tag: name,
      attributes: fc.uniqueArray(fc.tuple(fc.constantFrom("k", "m:type", "z"), text), {
        selector: ([key]) => key,
        maxLength: 2,
      }),
      inner: fc.array(fc.oneof(text, fc.constant("<![CDATA[<&]]>"), tie("element")), { maxLength: 3 }),
    })
    .map(({ tag, attributes, inner }) => {
      const listed = attributes.map(([key, value]) => ` ${key}="${value}"`).join("");
      return inner.length === 0 ? `<${tag}${listed}/>` : `<${tag}${listed}>${inner.join("")}</${tag}>`;
    }),
})).element;

propertyTest.prop([element])("a document means the same as to fast-xml-parser", (document) => {
  const [root] = parser.parse(document) as readonly [Node];

  expect(plainOf(readXml(document))).toEqual(plainOfNode(root));
});

propertyTest.prop([element, fc.nat(), fc.constantFrom("<", ">", "</", '"', "&", "<a>", "")])(
  "a damaged document that fast-xml-parser refuses is refused",
  (document, at, change) => {
    const place = at % document.length;
    const damaged = document.slice(0, place) + change + document.slice(place + 1);
    fc.pre(XMLValidator.validate(damaged) !== true);

    expect(() => readXml(damaged)).toThrow(
      expect.objectContaining({ code: "storage.malformed-response" }) as Error,
    );
  },
);
