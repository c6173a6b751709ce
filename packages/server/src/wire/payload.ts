import type { StoredEntity, StoredValue } from "@partita/core/storage";
import { isSystemName, parseEntry } from "@partita/core/protocol";
import type { ProtocolHead, ProtocolRequest } from "./protocol-request.ts";
import { type BodyProperties, readJsonBody } from "./read-entity.ts";
import type { ServerCode } from "./server-codes.ts";
import { ServiceFault } from "./service-fault.ts";

/** The format of a response. */
export type Payload = "none" | "minimal" | "full" | "atom";

/** The last version with Atom; the next one introduced JSON. */
const lastAtomVersion = "2015-07-08";
const firstJsonVersion = "2013-08-15";

/** The requested response format. @throws ServiceFault for a format that the request's version does not support */
export function payloadOf({ header, query, version }: ProtocolHead): Payload {
  const wanted = (query.get("$format") ?? header("accept") ?? "").toLowerCase().replaceAll(/\s/g, "");
  const initial = version > lastAtomVersion ? "minimal" : "atom";
  if (wanted === "") return initial;
  let refusal: ServerCode = "MediaTypeNotSupported";
  for (const type of wanted.split(",")) {
    // A weight of zero refuses this type.
    const found = /;q=0(?:\.0*)?(?:;|$)/.test(type) ? undefined : payloadFor(type, initial);
    if (found === "atom" && version > lastAtomVersion) refusal = "AtomFormatNotSupported";
    else if (found === "verbose") refusal = "JsonVerboseFormatNotSupported";
    else if (found !== undefined && found !== "atom" && version < firstJsonVersion)
      refusal = "JsonFormatNotSupported";
    else if (found !== undefined) return found;
  }
  throw new ServiceFault(refusal);
}

function payloadFor(type: string, initial: Payload): Payload | "verbose" | undefined {
  if (type.startsWith("*/*")) return initial;
  if (type.includes("json")) {
    if (type.includes("odata=verbose")) return "verbose";
    if (type.includes("odata=nometadata")) return "none";
    return type.includes("odata=fullmetadata") ? "full" : "minimal";
  }
  return type.includes("atom") || type.startsWith("application/xml") ? "atom" : undefined;
}

/** Parses the body of a write in its declared format. @throws ServiceFault */
export async function readBody({ header, body, version }: ProtocolRequest): Promise<BodyProperties> {
  const type = (header("content-type") ?? "").toLowerCase();
  if (!type.includes("xml")) {
    if (!type.includes("json")) throw new ServiceFault("MediaTypeNotSupported");
    return readJsonBody(body);
  }
  if (version > lastAtomVersion) throw new ServiceFault("AtomFormatNotSupported");
  checkMarkup(body);
  const { "odata.etag": _etag, Timestamp: _timestamp, ...properties } = parseEntry(body);
  return properties;
}

/** Maximum number of tags of an entity: two for each of 255 properties, with ample reserve. */
const maxTags = 2000;
/** Maximum number of characters of a tag: a root has some hundreds. */
const longTag = /<[^<>]{4096,}/;

/** Refuses excessive markup before parsing, which takes a microsecond per tag. @throws ServiceFault `InvalidInput` */
function checkMarkup(body: string): void {
  let tags = 0;
  for (let at = body.indexOf("<"); at >= 0 && tags <= maxTags; at = body.indexOf("<", at + 1)) tags++;
  if (tags > maxTags || longTag.test(body)) throw new ServiceFault("InvalidInput");
}

/** One value to print: a property, or a selected one that is not stored. */
export type ShownProperty = readonly [
  name: string,
  value: StoredValue | null,
  annotation: StoredValue | undefined,
];

/** The properties of an entity in the service's order; for a selection, the selected ones. */
export function shownProperties(
  entity: StoredEntity,
  selected: readonly string[] | undefined,
): ShownProperty[] {
  const names = selected ?? [
    "PartitionKey",
    "RowKey",
    "Timestamp",
    ...Object.keys(entity).filter((name) => !isSystemName(name)),
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
