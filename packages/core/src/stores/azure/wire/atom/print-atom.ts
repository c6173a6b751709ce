import {
  annotationOf,
  edmTypeOf,
  type StoredEntity,
  type StoredValue,
} from "../../../../values/edm/stored-entity.ts";
import { isSystemName } from "../../../../values/edm/stored-entity.ts";
import { escapeXml, xmlDeclaration } from "../read-xml.ts";

/**
 * The namespaces of Atom in data services. Source: learn.microsoft.com "Payload format for Table service operations".
 */
export const atomNamespaces =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"';

/** The parts of an entry in addition to its properties. */
export interface AtomEntry {
  /** Its URL; empty for an insert. */
  readonly id: string;
  readonly updated: string;
  /** Properties as XML, from `atomProperties` or `atomProperty`. */
  readonly properties: string;
  readonly etag?: string;
  /** Links and category as XML, which a server adds. */
  readonly links?: string;
  /** Whether the entry is a document of its own, and so declares its namespaces. */
  readonly isDocument: boolean;
}

/** Writes one entity as an Atom entry: a document of its own, or part of a feed. */
export function printEntry({ id, updated, properties, etag, links = "", isDocument }: AtomEntry): string {
  const version = etag === undefined ? "" : ` m:etag="${escapeXml(etag)}"`;
  const open = isDocument ? `${xmlDeclaration}<entry ${atomNamespaces}${version}>` : `<entry${version}>`;
  return (
    `${open}<id>${escapeXml(id)}</id><title /><updated>${updated}</updated><author><name /></author>${links}` +
    `<content type="application/xml"><m:properties>${properties}</m:properties></content></entry>`
  );
}

/** The keys and user properties of an entity, each with its type. */
export function atomProperties(entity: StoredEntity): string {
  let text = atomProperty("PartitionKey", entity.PartitionKey) + atomProperty("RowKey", entity.RowKey);
  for (const name in entity) {
    const value = entity[name];
    if (isSystemName(name) || value === undefined || value === null) continue;
    text += atomProperty(name, value, entity[annotationOf(name)]);
  }
  return text;
}

/** One property. For text with white space at its ends, asks readers to preserve it. */
export function atomProperty(name: string, value: StoredValue | null, annotation?: StoredValue): string {
  if (value === null) return `<d:${name} m:null="true" />`;
  const edm = edmTypeOf(value, annotation);
  const type = edm === "Edm.String" ? "" : ` m:type="${edm}"`;
  const text = escapeXml(edm === "Edm.Double" && Object.is(value, -0) ? "-0.0" : String(value));
  const space = edm === "Edm.String" && /^\s|\s$/.test(text) ? ' xml:space="preserve"' : "";
  return `<d:${name}${type}${space}>${text}</d:${name}>`;
}
