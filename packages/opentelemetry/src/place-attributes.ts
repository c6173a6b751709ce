import type { Attributes } from "@opentelemetry/api";

/** Cached attributes by storage description. A process has few. */
const known = new Map<string, Attributes>();
const maxKnown = 1000;

/**
 * The database system and the address of a storage. Paths of files are left out, because folders may contain
 * the names of users.
 */
export function placeOf(storage: string): Attributes {
  let place = known.get(storage);
  if (place !== undefined) return place;
  place = readPlace(storage);
  if (known.size < maxKnown) known.set(storage, place);
  return place;
}

function readPlace(storage: string): Attributes {
  const url = /^https?:/.test(storage) && URL.canParse(storage) ? new URL(storage) : undefined;
  if (url === undefined) return { "db.system.name": "sqlite" };
  const isCosmos = /\.table\.cosmos(db)?\./.test(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return {
    "db.system.name": isCosmos ? "azure.cosmosdb" : "azure.tables",
    "server.address": url.hostname,
    "server.port": port,
  };
}
