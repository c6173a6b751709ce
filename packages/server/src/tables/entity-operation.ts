import type { WriteOperation } from "@partita/core/storage";
import { readBody } from "../wire/payload.ts";
import type { ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** A write of one entity, with its table. */
export interface EntityOperation {
  readonly table: string;
  readonly operation: WriteOperation;
}

/** The first version with upserts. */
const upsertVersion = "2011-08-18";

/** Reads the write from a request. @throws ServiceFault */
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
  // The key in the URL takes precedence over the body's.
  const entity = { ...(await readBody(request)), PartitionKey: key.partitionKey, RowKey: key.rowKey };
  const type = method === "PUT" ? "replace" : "merge";
  if (etag !== undefined) return { table, operation: { type, entity, etag } };
  if (version < upsertVersion) throw new ServiceFault("MissingRequiredHeader");
  return { table, operation: { type: `upsert-${type}`, entity } };
}

/**
 * The ETag condition of a write. An insert has none: a condition on it is refused, except that the entity must not
 * exist, which all inserts require.
 *
 * @throws ServiceFault `InvalidInput` for conditions that the service does not support, including strong ETags
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
