import { defineEntity, int32, text } from "@partita/core";

/** A row of the tests' table. */
export class Thing extends defineEntity({
  table: "Things",
  partitionKey: { pk: text() },
  rowKey: { rk: text() },
  properties: { N: int32().optional() },
}) {}
