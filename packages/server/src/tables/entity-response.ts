import type { StoredEntity } from "@partita/core/storage";
import type { Payload } from "../wire/payload.ts";
import { atomEntity } from "../wire/print-atom.ts";
import { type EntityPlace, jsonEntity } from "../wire/print-json.ts";
import type { ProtocolRequest } from "../wire/protocol-request.ts";
import type { EntityService } from "./entity-service.ts";

/** Prints one entity in the format of its response. */
export const printOne = (
  entity: StoredEntity,
  selected: readonly string[] | undefined,
  payload: Payload,
  place: EntityPlace,
): string =>
  payload === "atom" ? atomEntity(entity, selected, place) : jsonEntity(entity, selected, payload, place);

/** The base URL and table of a request's entities, for links. */
export const placeOf = (
  { base }: ProtocolRequest,
  table: string,
  { account }: Pick<EntityService, "account">,
): EntityPlace => ({ base, account, table });

/** JSON requires version 3.0 of data services. */
export const serviceVersionHeader = (payload: Payload): Record<string, string> => ({
  dataserviceversion: payload === "atom" ? "1.0;" : "3.0;",
});

/** The content type of a response. */
export function typeHeaders(payload: Payload, atomType: "entry" | "feed"): Record<string, string> {
  if (payload === "atom")
    return {
      "content-type": `application/atom+xml;type=${atomType};charset=utf-8`,
      ...serviceVersionHeader(payload),
    };
  const level = payload === "none" ? "nometadata" : `${payload}metadata`;
  return {
    "content-type": `application/json;odata=${level};streaming=true;charset=utf-8`,
    ...serviceVersionHeader(payload),
  };
}
