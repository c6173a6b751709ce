import { defineEntity, type EntityClass, int32, type TableContext, text } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { constant, verbatim } from "../../../src/keys.ts";
import {
  markerRow,
  type OutboxOutcome,
  type OutboxMessage,
  type OutboxPlace,
  sendWith,
} from "../../../src/internal.ts";
import { openStore, type Store } from "../unit-of-work/store.ts";

const settings = {
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { state: text().optional(), total: int32().default(0) },
  outbox: true,
} as const;

export class Order extends defineEntity({ ...settings, table: "Orders" }) {}
export class Ticket extends defineEntity({ ...settings, table: "OrderTickets", proof: "marker" }) {}
export class Listed extends defineEntity({
  ...settings,
  table: "ListedOrders",
  indexes: { byState: { rowKey: { state: constant("STATE:", verbatim) } } },
}) {}
export class Plain extends defineEntity({ ...settings, outbox: false, table: "PlainOrders" }) {}

const classes: readonly EntityClass[] = [Order, Ticket, Listed, Plain];

export const keyOf = (id: number | string = 1, shop = "s"): { shop: string; id: string } => ({
  shop,
  id: String(id),
});

export const openOrders = (): Promise<Store> => openStore("memory:", classes);

/** Messages as a test sees them. */
export class Post {
  /** Places in the order they were announced. */
  readonly places: OutboxPlace[] = [];
  readonly fates: OutboxOutcome[] = [];
  /** What an announcement does, beside being noted. */
  announcing: (place: OutboxPlace, attempt: number, letter: string) => Promise<void> = async () => undefined;

  send(context: TableContext, entity: object, letter = "hello"): OutboxMessage {
    const message: OutboxMessage = {
      properties: { Letter: letter },
      bytes: 50,
      announce: async (place, attempt) => {
        await this.announcing(place, attempt, letter);
        this.places.push(place);
        return {
          properties: { Attempt: attempt },
          end: async (outcome) => void this.fates.push(outcome),
        };
      },
    };
    sendWith(context, entity, message);
    return message;
  }
}

/** The messages of a table that are stored, by what they say; closed places as `(closed)`. */
export async function letters({ inner }: Store, table = "Orders"): Promise<string[]> {
  const { entities } = await inner.query(table, {});
  return entities.filter(({ RowKey }) => RowKey.startsWith("~o~")).map(shownLetter);
}

const shownLetter = ({ Letter, State }: StoredEntity): string =>
  State === undefined ? String(Letter) : `(${String(State)})`;

/** Somebody closes the place of a message. */
export const close = ({ inner }: Store, { table, ...key }: OutboxPlace): Promise<unknown> =>
  inner.write(table, { type: "insert", entity: markerRow(key, "closed") });
