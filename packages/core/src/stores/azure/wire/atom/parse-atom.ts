import type { StoredEntityDraft, StoredValue } from "../../../../values/edm/stored-entity.ts";
import { StorageError } from "../../../../values/errors/storage-error.ts";
import { childOf, childrenOf, readXml, type XmlElement } from "../read-xml.ts";
import { setTyped, typedValue } from "../../../../values/edm/typed-value.ts";

/** The properties of an entry in stored form, with its ETag if the entry has one. */
export type AtomProperties = Readonly<Record<string, StoredValue>>;

/**
 * Reads the properties of one entry. Null properties are left out.
 *
 * @throws StorageError `storage.malformed-response`, naming properties, never values
 */
export function parseEntry(text: string): AtomProperties {
  const [name, root] = readXml(text);
  if (name !== "entry") throw malformedAtom("it is not an entry");
  return entryOf(root);
}

/** Reads every entry of a feed in the same way. */
export function parseFeed(text: string): AtomProperties[] {
  const [name, root] = readXml(text);
  if (name !== "feed") throw malformedAtom("it is not a feed");
  return childrenOf(root, "entry").map(entryOf);
}

function entryOf(entry: XmlElement): AtomProperties {
  const properties = childOf(childOf(entry, "content"), "properties");
  if (properties === undefined) throw malformedAtom("an entry has no properties");
  const entity = {} as StoredEntityDraft;
  for (const [name, property] of properties.children) {
    if (Object.hasOwn(entity, name)) throw malformedAtom(`${shown(name)} occurs twice`);
    if (["true", "1"].includes(property.attributes.get("null") ?? "")) continue;
    if (property.children.length > 0) throw malformedAtom(`${shown(name)} contains elements`);
    const edm = property.attributes.get("type") ?? "Edm.String";
    const value = typedValue(contentOf(property.text, edm), edm);
    if (value === undefined) throw malformedAtom(`${shown(name)} does not match its type`);
    setTyped(entity, name, name === "Timestamp" ? { value: value.value } : value);
  }
  const etag = entry.attributes.get("etag");
  if (etag !== undefined) entity["odata.etag"] = etag;
  return entity as AtomProperties;
}

/** White space around values other than text has no meaning in XML, and base64 may contain line breaks. */
function contentOf(text: string, edm: string): string {
  if (edm === "Edm.String") return text;
  return edm === "Edm.Binary" ? text.replaceAll(/\s+/g, "") : text.trim();
}

const shown = (name: string): string => name.slice(0, 80).replaceAll(/[^\w.]/g, "?");

const malformedAtom = (problem: string): StorageError =>
  new StorageError("storage.malformed-response", `The Atom document cannot be read: ${problem}.`, {
    applied: "no",
  });
