import { defineEntity, defineKind, guid, int32, text } from "@partita/core";
import { escaped, ulid } from "@partita/core/keys";
import { createdAt, owned, updatedAt } from "@partita/core/models";

/** Number of calls of default functions. A case sets it to 0. */
export const calls = { count: 0 };
const next = (): number => calls.count++;
const token = (): string => String(++calls.count);

const keys = { partitionKey: { tenant: escaped }, rowKey: { id: escaped } } as const;

class Token extends defineEntity({
  table: "Tokens",
  ...keys,
  properties: { token: text().default(token), rating: int32().default(5), note: text().optional() },
}) {}

class OptionalToken extends defineEntity({
  table: "OptionalTokens",
  ...keys,
  properties: {
    token: text().optional().default(token),
    rating: int32().default(5),
    note: text().optional(),
  },
}) {}

class Numbered extends defineEntity({
  table: "Numbers",
  ...keys,
  kind: "Numbered",
  properties: { a: int32().default(next) },
}) {}

class TwiceNumbered extends defineKind(Numbered, {
  kind: "TwiceNumbered",
  properties: { b: int32().default(next) },
}) {}

class Customer extends defineEntity({
  table: "Customers",
  partitionKey: { tenant: escaped },
  rowKey: { id: ulid },
  properties: { name: text(), email: text() },
}) {}

class Ticket extends defineEntity({
  table: "Tickets",
  partitionKey: { tenant: escaped },
  rowKey: { id: guid() },
  properties: { other: guid().optional() },
}) {}

/** Parent and children with generated keys. */
class Page extends defineEntity({
  table: "Pages",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: ulid },
  properties: {},
}) {}

class Article extends defineKind(Page, { kind: "Article", children: { notes: owned(() => Note) } }) {}

class Note extends defineKind(Page, {
  kind: "Note",
  rowKey: { note: ulid },
  properties: { text: text() },
}) {}

class Timed extends defineEntity({
  table: "Timed",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {
    name: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    editor: text().onSave(() => "saver"),
  },
}) {}

/** The classes of the cases of default values, in one of the three forms. */
export interface FillClasses {
  readonly Token: typeof Token;
  readonly OptionalToken: typeof OptionalToken;
  readonly Numbered: typeof Numbered;
  readonly TwiceNumbered: typeof TwiceNumbered;
  readonly Customer: typeof Customer;
  readonly Ticket: typeof Ticket;
  readonly Article: typeof Article;
  readonly Note: typeof Note;
  readonly Timed: typeof Timed;
}

/** The form of `defineEntity` and `defineKind`. */
export const definedFills: FillClasses = {
  Token,
  OptionalToken,
  Numbered,
  TwiceNumbered,
  Customer,
  Ticket,
  Article,
  Note,
  Timed,
};
