import type { WriteOperation } from "@partita/core/storage";
import { readBody } from "../wire/payload.ts";
import type { ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** A write of one entity, with the table it goes to. */
export interface EntityOperation {
  readonly table: string;
  readonly operation: WriteOperation;
}

/** The first version that upserts. */
const upsertVersion = "2011-08-18";

/** Reads what a request writes. @throws ServiceFault */
export async function entityOperation(request: ProtocolRequest): Promise<EntityOperation> {
  const { method, resource, header, version } = request;
  const etag = conditionOf(request);
  if (resource.type === "entities" && method === "POST") {
    const body = (await readBody(request)) as Partial<Record<"PartitionKey" | "RowKey", string>>;
    const { PartitionKey, RowKey } = body;
    if (PartitionKey === undefined || RowKey === undefined) throw new ServiceFault("PropertiesNeedValue");
    if (typeof PartitionKey !== "string" || typeof RowKey !== "string")
      throw new ServiceFault("InvalidInput");
    return {
      table: resource.table,
      operation: { type: "insert", entity: { ...body, PartitionKey, RowKey } },
    };
  }
  if (resource.type !== "entity") throw new ServiceFault("UnsupportedHttpVerb");
  const { table, key } = resource;
  if (method === "DELETE") {
    if (header("if-match") === undefined) throw new ServiceFault("MissingRequiredHeader");
    return { table, operation: { type: "delete", key, etag: etag ?? "*" } };
  }
  if (method !== "PUT" && method !== "MERGE" && method !== "PATCH")
    throw new ServiceFault("UnsupportedHttpVerb");
  // The URL says which entity it is, whatever the body does.
  const entity = { ...(await readBody(request)), PartitionKey: key.partitionKey, RowKey: key.rowKey };
  const type = method === "PUT" ? "replace" : "merge";
  if (etag !== undefined) return { table, operation: { type, entity, etag } };
  if (version < upsertVersion) throw new ServiceFault("MissingRequiredHeader");
  return { table, operation: { type: `upsert-${type}`, entity } };
}

/**
 * The version a write is for. An insert has none: a condition on it is refused, except that it must not be there yet, which
 * every insert says.
 *
 * @throws ServiceFault `InvalidInput` for conditions the service does not know, strong ETags among them
 */
function conditionOf({ header, method }: ProtocolRequest): string | undefined {
  const etag = header("if-match");
  const noneMatch = header("if-none-match");
  if (noneMatch !== undefined && !(method === "POST" && noneMatch === "*"))
    throw new ServiceFault("InvalidInput");
  if (etag === undefined) return undefined;
  if (method === "POST" || (etag !== "*" && !/^W\/"[^"]*"$/.test(etag)))
    throw new ServiceFault("InvalidInput");
  return etag;
}
