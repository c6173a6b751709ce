import type { StoredEntity } from "../../../../values/edm/stored-entity.ts";
import { namesOf, type WireFormat } from "../wire-format.ts";
import { type AtomProperties, parseEntry, parseFeed } from "./parse-atom.ts";
import { atomProperties, atomProperty, printEntry } from "./print-atom.ts";

/** Atom, the format of protocol versions up to 2015-07-08. */
export function atomFormat(): WireFormat {
  const print = (id: string, properties: string): string =>
    printEntry({ id, updated: new Date().toISOString(), properties, isDocument: true });
  return {
    accept: "application/atom+xml,application/xml",
    contentType: "application/atom+xml",
    dataServiceVersion: "2.0;NetFx",
    maxDataServiceVersion: "2.0;NetFx",
    printEntity: (entity, id) => print(id, atomProperties(entity)),
    writeEntity: (into, { entity }, id) => into.utf8(print(id, atomProperties(entity))),
    printTable: (name) => print("", atomProperty("TableName", name)),
    parseEntity: (text) => asEntity(parseEntry(text)),
    parsePage(text) {
      const entities = parseFeed(text).map(asEntity);
      return entities.every((entity) => entity !== undefined) ? entities : undefined;
    },
    parseTables: (text) => namesOf(parseFeed(text)),
  };
}

function asEntity(properties: AtomProperties): StoredEntity | undefined {
  const { PartitionKey, RowKey } = properties as Partial<StoredEntity>;
  return typeof PartitionKey === "string" && typeof RowKey === "string"
    ? (properties as StoredEntity)
    : undefined;
}
