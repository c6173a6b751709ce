// An audit log of many tenants: a slice for each month, the latest first, with four buckets each.
import { defineEntity, text } from "@partita/core";
import { bucket, escaped, month, newestFirst } from "@partita/core/keys";

/**
 * Entries of one month are spread over four partitions by their user. The latest entries of a tenant are the
 * first rows of its first slice, and you can delete an old month without reading any other.
 */
export class AuditEntry extends defineEntity({
  table: "AuditLog",
  partitionKey: { tenant: escaped, at: month(newestFirst), user: bucket(4) },
  rowKey: { at: newestFirst, user: escaped },
  properties: { action: text() },
}) {}
