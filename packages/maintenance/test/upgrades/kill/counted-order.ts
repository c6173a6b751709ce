import { defineEntity, int32 } from "@partita/core";
import { padded } from "@partita/core/keys";
import { retype, upgrades } from "@partita/core/upgrades";

/** Rows whose upgrade would show if it took effect twice. */
export class CountedOrder extends defineEntity({
  table: "Orders",
  partitionKey: { shop: padded(2) },
  rowKey: { id: padded(5) },
  properties: { Amount: int32() },
  version: upgrades({ Qty: int32() }).to(
    2,
    retype("Qty", "Amount", int32(), (quantity: number) => quantity + 1),
  ),
}) {}
