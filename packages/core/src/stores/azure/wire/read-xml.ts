import { StorageError } from "../../../values/errors/storage-error.ts";

/** An element of an XML document: its own text, its attributes and its children, by names without their prefix. */
export interface XmlElement {
  readonly text: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (readonly [name: string, element: XmlElement])[];
}

/** Elements inside each other at most: what the protocol sends is six deep. */
const maxDepth = 24;

/** Reads one XML document: its root's name and the root. */
export type XmlReader = (text: string) => readonly [name: string, root: XmlElement];

/**
 * Loads the parser. What it reads has no document type, no entities but the five of XML and characters by number, and a
 * bounded depth; names from the document never become names of members.
 */
export async function loadXmlReader(): Promise<XmlReader> {
  const { XMLParser } = await import("./xml-parser.ts");
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    processEntities: false,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    cdataPropName: "#cdata",
    maxNestedTags: maxDepth,
    // Names stay as they are: they are only compared, never assigned.
    onDangerousProperty: (name: string) => name,
  });
  return (text) => {
    if (/<!DOCTYPE|<!ENTITY/i.test(text)) throw malformedXml("it has a document type");
    const { light, restore } = liftText(text);
    let nodes: RawNode[];
    try {
      // Validated: the parser alone closes what is left open, such as the end of a feed that was cut off.
      nodes = parser.parse(light, true) as RawNode[];
    } catch {
      // The parser's own message may quote the document.
      throw malformedXml("it is not well formed");
    }
    const roots = Array.isArray(nodes) ? nodes.filter((node) => nameOf(node) !== "#text") : [];
    const [root] = roots;
    if (roots.length !== 1 || root === undefined) throw malformedXml("it has no single root element");
    return toElement(root, 0, restore);
  };
}

/** Texts are put back where they were. */
type Restore = (text: string) => string;

const asItIs: Restore = (text) => text;

/** Documents from this length on have their long texts taken out: the parser takes a quarter of a microsecond a character. */
const longDocument = 8192;

const longText = 128;

/** Takes long texts out of a long document, and leaves a mark in the place of each: those that hold nothing but text. */
function liftText(text: string): { readonly light: string; readonly restore: Restore } {
  if (text.length < longDocument || text.includes("\ue000")) return { light: text, restore: asItIs };
  const lifted: string[] = [];
  const lift = (run: string): string => `\ue000${lifted.push(run) - 1}\ue000`;
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(">"); at >= 0; at = text.indexOf(">", from)) {
    const end = text.indexOf("<", at);
    if (end < 0) break;
    const run = text.slice(at + 1, end);
    const isLong = run.length >= longText;
    parts.push(text.slice(from, at + 1), isLong && !/[&>]/.test(run) ? lift(run) : run);
    from = end;
  }
  const light = parts.join("") + text.slice(from);
  const restore: Restore = (part) =>
    part.replace(/\ue000(\d+)\ue000/g, (_mark, index: string) => lifted[Number(index)] ?? "");
  return { light, restore: lifted.length === 0 ? asItIs : restore };
}

/** One node as the parser gives it: a member named for the element with its children, and `:@` with attributes. */
type RawNode = Readonly<Record<string, unknown>>;

const nameOf = (node: RawNode): string => Object.keys(node).find((key) => key !== ":@") ?? "";

function toElement(node: RawNode, depth: number, restore: Restore): readonly [string, XmlElement] {
  if (depth > maxDepth) throw malformedXml("it is nested too deep");
  const name = nameOf(node);
  const inner = (node[name] ?? []) as RawNode[];
  let text = "";
  const children: (readonly [string, XmlElement])[] = [];
  for (const child of Array.isArray(inner) ? inner : []) {
    const kind = nameOf(child);
    if (kind === "#text") text += decodeText(restore(String(child["#text"])));
    else if (kind === "#cdata") text += restore(rawText(child["#cdata"]));
    else children.push(toElement(child, depth + 1, restore));
  }
  return [localName(name), { text, attributes: attributesOf(node[":@"], restore), children }];
}

const rawText = (cdata: unknown): string =>
  Array.isArray(cdata)
    ? cdata.map((part: { readonly "#text"?: string }) => part["#text"] ?? "").join("")
    : "";

function attributesOf(found: unknown, restore: Restore): ReadonlyMap<string, string> {
  if (typeof found !== "object" || found === null) return none;
  return new Map(
    Object.entries(found).map(([name, value]) => [localName(name), decodeText(restore(String(value)))]),
  );
}

const none: ReadonlyMap<string, string> = new Map();

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Text with its references resolved, in one pass. */
function decodeText(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (reference, hex, decimal, name) => {
    if (typeof name === "string") {
      if (Object.hasOwn(entities, name)) return entities[name] as string;
      throw malformedXml("it has an entity that XML does not define");
    }
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    if (code > 0x10_ffff)
      throw malformedXml(`it has a character that does not exist (${String(reference).length})`);
    return String.fromCodePoint(code);
  });
}

/** The first child of a name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find(([found]) => found === name)?.[1];

/** The text of the first child of a name; undefined when there is none. */
export const textOfChild = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.text;

/** Every child of a name. */
export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  (element?.children ?? []).flatMap(([found, child]) => (found === name ? [child] : []));

/** The first line of every XML document on the wire. */
export const xmlDeclaration = '<?xml version="1.0" encoding="utf-8"?>';

/** Text as XML: characters that XML reserves, and those it has no form for, as references. */
export const escapeXml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[<>&"\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\ufffe\uffff]/g, (character) => {
    switch (character) {
      case "<":
        return "&lt;";
      case ">":
        return "&gt;";
      case "&":
        return "&amp;";
      case '"':
        return "&quot;";
      default:
        return `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`;
    }
  });

/** The error for a document that is not what it should be. */
export const malformedXml = (problem: string): StorageError =>
  new StorageError("storage.malformed-answer", `The XML cannot be read: ${problem}.`, { applied: "no" });
