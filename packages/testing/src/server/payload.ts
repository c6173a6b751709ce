import type { StoredEntity, StoredValue } from "@partita/core";
import { loadXmlReader, parseEntry, type XmlReader } from "@partita/core/rest";
import type { ProtocolRequest } from "./protocol-request.ts";
import { type BodyProperties, readJsonBody } from "./read-entity.ts";
import { ServiceFault } from "./service-fault.ts";

/** How an answer is written. */
export type Payload = "none" | "minimal" | "full" | "atom";

/** Atom ended with the version after this one; JSON began with the next. */
const lastAtomVersion = "2015-07-08";
const firstJsonVersion = "2013-08-15";

/** What a request wants to be answered in. @throws ServiceFault for a format its version does not have */
export function payloadOf({ header, query, version }: ProtocolRequest): Payload {
  const wanted = query.get("$format") ?? header("accept");
  const payload = chosen(wanted ?? "", version);
  if (payload === "atom" && version > lastAtomVersion) throw new ServiceFault("AtomFormatNotSupported");
  if (payload !== "atom" && version < firstJsonVersion) throw new ServiceFault("JsonFormatNotSupported");
  return payload;
}

function chosen(wanted: string, version: string): Payload {
  const text = wanted.toLowerCase().replaceAll(/\s/g, "");
  const initial = version > lastAtomVersion ? "minimal" : "atom";
  if (text === "" || text === "*/*") return initial;
  if (text.includes("odata=verbose")) throw new ServiceFault("JsonVerboseFormatNotSupported");
  if (text.includes("json")) {
    if (text.includes("odata=nometadata")) return "none";
    return text.includes("odata=fullmetadata") ? "full" : "minimal";
  }
  if (text.includes("atom") || text.includes("application/xml")) return "atom";
  if (text.includes("*/*")) return initial;
  throw new ServiceFault("MediaTypeNotSupported");
}

let xmlReader: XmlReader | undefined;

/** Reads the body of a write, in the format it says it has. @throws ServiceFault */
export async function readBody({ header, body, version }: ProtocolRequest): Promise<BodyProperties> {
  const type = (header("content-type") ?? "").toLowerCase();
  if (!type.includes("xml")) {
    if (!type.includes("json")) throw new ServiceFault("MediaTypeNotSupported");
    return readJsonBody(body);
  }
  if (version > lastAtomVersion) throw new ServiceFault("AtomFormatNotSupported");
  xmlReader ??= await loadXmlReader();
  const { "odata.etag": _etag, Timestamp: _timestamp, ...properties } = parseEntry(xmlReader, body);
  return properties;
}

/** One value in its turn: a property, or one that was selected and is not stored. */
export type ShownProperty = readonly [
  name: string,
  value: StoredValue | null,
  annotation: StoredValue | undefined,
];

/** The properties of an entity in the order the service sends them; of a selection, the selected ones. */
export function shownProperties(
  entity: StoredEntity,
  selected: readonly string[] | undefined,
): ShownProperty[] {
  const names = selected ?? [
    "PartitionKey",
    "RowKey",
    "Timestamp",
    ...Object.keys(entity).filter((name) => !isSystem(name)),
  ];
  return names.map((name) => {
    const value = Object.hasOwn(entity, name) ? entity[name] : undefined;
    return [
      name,
      value ?? null,
      entity[`${name}@odata.type`] ?? (name === "Timestamp" ? "Edm.DateTime" : undefined),
    ];
  });
}

const isSystem = (name: string): boolean =>
  name === "PartitionKey" ||
  name === "RowKey" ||
  name === "Timestamp" ||
  name.includes("@") ||
  name.startsWith("odata.");
