// The road race of the guidance: keys such as `2011 New York City Marathon__Full` and `BIB:01234__John__M__55`.
import { defineEntity, text } from "@partita/core";
import { constant, padded } from "@partita/core/keys";

export class Runner extends defineEntity({
  table: "Races",
  separator: "__",
  partitionKey: { race: text(), distance: text() },
  rowKey: { bib: constant("BIB:", padded(5)), name: text(), gender: text(), age: padded(2) },
  properties: { club: text().optional() },
}) {}
