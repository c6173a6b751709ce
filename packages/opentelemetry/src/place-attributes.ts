import type { Attributes } from "@opentelemetry/api";

/** Descriptions of storages that were looked at, of which a process has few. */
const known = new Map<string, Attributes>();
const maxKnown = 1000;

/** Which database a storage is, and where. Paths of files are left out: their folders may be named for users. */
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
