import { StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { type Access, checkRange } from "./access.ts";
import { entityLink } from "../wire/parse-path.ts";
import { type Payload, payloadOf } from "../wire/payload.ts";
import { noContent, type ProtocolResponse, type ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { placeOf, printOne, serviceVersionHeader, typeHeaders } from "./entity-response.ts";
import { type EntityOperation, entityOperation } from "./entity-operation.ts";
import type { EntityService } from "./entity-service.ts";
import { getEntity, queryEntities } from "./read-entities.ts";

/** Handles queries, point reads and single writes of entities. */
export async function handleEntities(
  request: ProtocolRequest,
  access: Access,
  service: EntityService,
): Promise<ProtocolResponse> {
  const { method, resource } = request;
  if (method !== "GET") return writeEntity(request, access, service);
  if (resource.type === "entities") return queryEntities(request, resource.table, access, service);
  if (resource.type !== "entity") throw new ServiceFault("UnsupportedHttpVerb");
  return getEntity(request, resource.table, resource.key, service);
}

async function writeEntity(
  request: ProtocolRequest,
  access: Access,
  service: EntityService,
): Promise<ProtocolResponse> {
  const written = await entityOperation(request);
  checkWritten(access, written);
  // Refuse an unsupported response format before the write is applied.
  const payload = payloadOf(request);
  const result = await service.storage.write(written.table, written.operation);
  return writeResponse(request, written, result.etag, payload, service);
}

/** Also checks the key in the body, since a signature's range applies to it. */
export function checkWritten(access: Access, { operation }: EntityOperation): void {
  if (operation.type !== "insert") return;
  const { PartitionKey, RowKey } = operation.entity;
  checkRange(access.range, { partitionKey: PartitionKey, rowKey: RowKey });
}

/** The response to an applied write. */
export async function writeResponse(
  request: ProtocolRequest,
  { table, operation }: EntityOperation,
  etag: string | undefined,
  payload: Payload,
  service: EntityService,
): Promise<ProtocolResponse> {
  const spoken = serviceVersionHeader(payload);
  if (operation.type !== "insert") return noContent({ ...spoken, ...(etag !== undefined && { etag }) });
  const { entity } = operation;
  const link = `${request.base}/${entityLink(table, entity)}`;
  const headers = { location: link, dataserviceid: link, ...(etag !== undefined && { etag }) };
  const preference = preferenceOf(request);
  if (preference === "return-no-content")
    return noContent({ ...spoken, ...headers, "preference-applied": preference });
  const stored = await storedEntity(service.storage, table, entity, etag);
  return {
    status: 201,
    headers: {
      ...headers,
      ...typeHeaders(payload, "entry"),
      ...(preference !== undefined && { "preference-applied": preference }),
    },
    body: printOne(stored, undefined, payload, placeOf(request, table, service)),
  };
}

/** The entity as stored, or as sent if another writer has changed it since. */
async function storedEntity(
  storage: TableStorage,
  table: string,
  entity: StoredEntity,
  etag: string | undefined,
): Promise<StoredEntity> {
  const key = { partitionKey: entity.PartitionKey, rowKey: entity.RowKey };
  const found = await storage.get(table, key).catch((error: unknown) => {
    if (StorageError.is(error)) return undefined;
    throw error;
  });
  if (found !== undefined && found["odata.etag"] === etag) return found;
  return { ...entity, ...(etag !== undefined && { "odata.etag": etag }) };
}

export function preferenceOf({
  header,
}: ProtocolRequest): "return-content" | "return-no-content" | undefined {
  const prefer = header("prefer")?.trim();
  return prefer === "return-no-content" || prefer === "return-content" ? prefer : undefined;
}
