import { StorageError } from "../../../values/errors/storage-error.ts";

/** An element of an XML document: its own text, its attributes and its children by their names without prefix. */
export interface XmlElement {
  readonly text: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (readonly [name: string, element: XmlElement])[];
}

/** Maximum depth of elements. The protocol's documents are up to six deep. */
const maxDepth = 24;

interface OpenElement {
  /** The name with its prefix. */
  readonly tag: string;
  readonly element: {
    text: string;
    readonly attributes: ReadonlyMap<string, string>;
    readonly children: (readonly [string, XmlElement])[];
  };
}

/**
 * Reads one XML document; returns the name of its root and the root. It accepts no document type, no entities except
 * XML's five and numeric references, and a limited depth. Names from the document never become property names of
 * ordinary objects. Prefixes are left out.
 *
 * @throws StorageError `storage.malformed-response`
 */
export function readXml(document: string): readonly [name: string, root: XmlElement] {
  const text = document.includes("\r") ? document.replaceAll(/\r\n?/g, "\n") : document;
  const open: OpenElement[] = [];
  let root: OpenElement | undefined;
  const addText = (found: string): void => {
    const inner = open.at(-1)?.element;
    if (inner !== undefined) inner.text += decodeText(found);
    else if (found.trim() !== "") throw malformedXml("it has text outside of its root");
  };
  let at = 0;
  for (let tag = text.indexOf("<"); tag >= 0; tag = text.indexOf("<", at)) {
    addText(text.slice(at, tag));
    if (text.startsWith("<!--", tag)) at = endOf(text, "-->", tag + 4);
    else if (text.startsWith("<?", tag)) at = endOf(text, "?>", tag + 2);
    else if (text.startsWith("<![CDATA[", tag)) {
      at = endOf(text, "]]>", tag + 9);
      const inner = open.at(-1)?.element;
      if (inner === undefined) throw malformedXml("it has text outside of its root");
      inner.text += text.slice(tag + 9, at - 3);
    } else if (text.startsWith("<!", tag)) throw malformedXml("it has a document type");
    else if (text.startsWith("</", tag)) {
      at = endOf(text, ">", tag + 2);
      if (open.pop()?.tag !== text.slice(tag + 2, at - 1).trimEnd())
        throw malformedXml("it is not well formed");
    } else {
      const { opened, isEmpty, end } = readTag(text, tag + 1);
      const outer = open.at(-1);
      if (outer === undefined && root !== undefined) throw malformedXml("it has no single root element");
      if (open.length > maxDepth) throw malformedXml("it is nested too deeply");
      outer?.element.children.push([localName(opened.tag), opened.element]);
      root ??= opened;
      if (!isEmpty) open.push(opened);
      at = end;
    }
  }
  addText(text.slice(at));
  if (root === undefined || open.length > 0) throw malformedXml("it is not well formed");
  return [localName(root.tag), root.element];
}

/** The position after the characters that end a construct. */
function endOf(text: string, last: string, from: number): number {
  const at = text.indexOf(last, from);
  if (at < 0) throw malformedXml("it is not well formed");
  return at + last.length;
}

// A range for letters outside ASCII: `\p{L}` would add a millisecond to every program's start, when it is parsed.
const tagName = /[A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]*/y;
const attribute = /\s+([A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*(\/?)>/y;

/** Reads an opening tag. @param from - the start of its name */
function readTag(
  text: string,
  from: number,
): { readonly opened: OpenElement; readonly isEmpty: boolean; readonly end: number } {
  tagName.lastIndex = from;
  const tag = tagName.exec(text)?.[0];
  if (tag === undefined) throw malformedXml("it is not well formed");
  const attributes = new Map<string, string>();
  const names = new Set<string>();
  let at = from + tag.length;
  for (;;) {
    attribute.lastIndex = at;
    const found = attribute.exec(text);
    if (found === null) break;
    const [all, name = "", doubly, singly = ""] = found;
    if (names.has(name)) throw malformedXml("it repeats an attribute");
    names.add(name);
    attributes.set(localName(name), decodeText((doubly ?? singly).replaceAll(/[\t\n]/g, " ")));
    at += all.length;
  }
  tagEnd.lastIndex = at;
  const end = tagEnd.exec(text);
  if (end === null) throw malformedXml("it is not well formed");
  const opened = { tag, element: { text: "", attributes, children: [] } };
  return { opened, isEmpty: end[1] === "/", end: at + end[0].length };
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const nameOf: ReadonlyMap<string, string> = new Map(
  ["lt", "gt", "amp", "quot"].map((name) => [entities[name] as string, name]),
);

/** Text with its references resolved, in one pass. */
function decodeText(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6});|#(\d{1,7});|(\w{1,8});)?/gi,
    (_reference, hex, decimal, name) => {
      if (typeof name === "string" && Object.hasOwn(entities, name)) return entities[name] as string;
      const digits = (hex ?? decimal) as string | undefined;
      if (digits === undefined) throw malformedXml("it has an entity that XML does not define");
      const code = Number.parseInt(digits, hex === undefined ? 10 : 16);
      if (code > 0x10_ffff) throw malformedXml("it has a character that does not exist");
      return String.fromCodePoint(code);
    },
  );
}

/** The first child with this name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find(([found]) => found === name)?.[1];

/** The text of the first child with this name; undefined if there is none. */
export const textOfChild = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.text;

/** All children with this name. */
export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  (element?.children ?? []).flatMap(([found, child]) => (found === name ? [child] : []));

/** The first line of every XML document on the wire. */
export const xmlDeclaration = '<?xml version="1.0" encoding="utf-8"?>';

/** Escapes text for XML: reserved characters, and those that XML cannot represent, become references. */
export const escapeXml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[<>&"\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\ufffe\uffff]/g, (character) => {
    const name = nameOf.get(character) ?? `#x${character.charCodeAt(0).toString(16).toUpperCase()}`;
    return `&${name};`;
  });

/** The error for an unexpected document. */
export const malformedXml = (problem: string): StorageError =>
  new StorageError("storage.malformed-response", `The XML cannot be read: ${problem}.`, { applied: "no" });
