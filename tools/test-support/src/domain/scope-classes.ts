import { defineEntity, defineKind, int32, text } from "@partita/core";
import { constant, escaped, padded } from "@partita/core/keys";
import { owned } from "@partita/core/models";

/** Orders and lines with the tenant as PartitionKey. */
class OrderRow extends defineEntity({
  table: "ScopedOrders",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
  scopedBy: "tenant",
}) {}

class Order extends defineKind(OrderRow, {
  kind: "Order",
  properties: { note: text().optional(), total: int32().default(0) },
  children: { lines: owned(() => Line) },
}) {}

class Line extends defineKind(OrderRow, {
  kind: "Line",
  rowKey: { no: padded(4) },
  properties: { sku: text() },
}) {}

const box = { partitionKey: { box: escaped }, rowKey: { id: escaped } } as const;

/** A class without the tenant in its key. */
class Note extends defineEntity({
  table: "ScopedNotes",
  ...box,
  properties: { tenant: text(), text: text(), rank: int32().default(0) },
  scopedBy: "tenant",
}) {}

/** The same with indexes, one of them unique. */
class Card extends defineEntity({
  table: "ScopedCards",
  ...box,
  properties: { tenant: text(), text: text(), rank: int32().default(0), code: text().optional() },
  indexes: {
    byRank: { rowKey: { rank: constant("RANK:", padded(4)) } },
    byCode: { rowKey: { code: constant("CODE:", escaped) }, unique: true, copy: "none" },
  },
  scopedBy: "tenant",
}) {}

/** Parent and children without the tenant in their keys. */
class FolderRow extends defineEntity({
  table: "ScopedFolders",
  separator: "!",
  ...box,
  properties: { tenant: text(), name: text() },
  scopedBy: "tenant",
}) {}

class Folder extends defineKind(FolderRow, { kind: "Folder", children: { pages: owned(() => Page) } }) {}

class Page extends defineKind(FolderRow, { kind: "Page", rowKey: { no: padded(4) } }) {}

/** A class without a setting for scopes. */
class Country extends defineEntity({
  table: "Countries",
  partitionKey: { continent: escaped },
  rowKey: { code: escaped },
  properties: { name: text().optional() },
}) {}

/** A class with rows for every scope. */
class Currency extends defineEntity({
  table: "Currencies",
  partitionKey: { continent: escaped },
  rowKey: { code: escaped },
  properties: { name: text().optional() },
  unscoped: true,
}) {}

/** The classes of the cases of scopes, in one of the three forms. */
export interface ScopeClasses {
  readonly OrderRow: typeof OrderRow;
  readonly Order: typeof Order;
  readonly Line: typeof Line;
  readonly Note: typeof Note;
  readonly Card: typeof Card;
  readonly Folder: typeof Folder;
  readonly Page: typeof Page;
  readonly Country: typeof Country;
  readonly Currency: typeof Currency;
}

/** The form of `defineEntity` and `defineKind`. */
export const definedScopes: ScopeClasses = {
  OrderRow,
  Order,
  Line,
  Note,
  Card,
  Folder,
  Page,
  Country,
  Currency,
};
