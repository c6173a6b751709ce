import { ServiceFault } from "../wire/service-fault.ts";

/** A queue's metadata, by its original names. */
export type Metadata = ReadonlyMap<string, string>;

const prefix = "x-ms-meta-";

/** Maximum size of names and values, in bytes. Source: learn.microsoft.com "Queue Storage error codes". */
const maxMetadataBytes = 8 * 1024;

/** Names are C# identifiers; in headers, ASCII only. */
const metadataName = /^[A-Za-z_]\w*$/;

/** @throws ServiceFault `InvalidMetadata`, `EmptyMetadataKey`, `MetadataTooLarge` */
export const metadataOf = (headers: readonly (readonly [name: string, value: string])[]): Metadata =>
  checkMetadata(
    headers.flatMap(([header, value]) =>
      header.toLowerCase().startsWith(prefix) ? [[header.slice(prefix.length), value.trim()] as const] : [],
    ),
  );

/** @throws ServiceFault as `metadataOf` */
export function checkMetadata(found: readonly (readonly [name: string, value: string])[]): Metadata {
  const names = new Set<string>();
  let bytes = 0;
  for (const [name, value] of found) {
    if (name === "") throw new ServiceFault("EmptyMetadataKey");
    const isLegal = metadataName.test(name) && isPrintable(value) && !names.has(name.toLowerCase());
    if (!isLegal) throw new ServiceFault("InvalidMetadata");
    names.add(name.toLowerCase());
    bytes += name.length + value.length;
  }
  if (bytes > maxMetadataBytes) throw new ServiceFault("MetadataTooLarge");
  return new Map(found);
}

const isPrintable = (value: string): boolean => /^[\t\x20-\x7e]*$/.test(value);

export const metadataHeaders = (metadata: Metadata): Record<string, string> =>
  Object.fromEntries([...metadata].map(([name, value]) => [`${prefix}${name}`, value]));

/** Whether both have the same values under the same names, in any order. */
export function isSameMetadata(a: Metadata, b: Metadata): boolean {
  const values = new Map([...b].map(([name, value]) => [name.toLowerCase(), value]));
  return a.size === b.size && [...a].every(([name, value]) => values.get(name.toLowerCase()) === value);
}
