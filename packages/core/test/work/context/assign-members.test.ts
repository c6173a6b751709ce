import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";
import { padded } from "../../../src/keys.ts";
import { createdAt, owned, updatedAt } from "../../../src/models.ts";

class Row extends defineEntity({
  table: "Shops",
  separator: "!",
  partitionKey: { shop: text() },
  rowKey: {},
  properties: { createdAt: createdAt(), updatedAt: updatedAt() },
  etagProperty: "etag",
  timestampProperty: "time",
}) {}
class Order extends defineKind(Row, {
  kind: "Order",
  rowKey: { id: padded(2) },
  children: { lines: owned(() => Line) },
}) {}
class Line extends defineKind(Row, {
  kind: "Line",
  rowKey: { id: padded(2), no: padded(2) },
  children: { parts: owned(() => Part), remarks: () => Remark },
}) {}
class Part extends defineKind(Row, {
  kind: "Part",
  rowKey: { id: padded(2), no: padded(2), part: padded(2) },
}) {}
class Remark extends defineKind(Row, {
  kind: "Remark",
  rowKey: { id: padded(2), no: padded(2), at: text() },
}) {}

const time = "2001-01-01T00:00:00.000Z";
/** Names that a client may not set, of a member and of a member below it. */
const readOnly: Readonly<Record<string, unknown>> = {
  createdAt: time,
  updatedAt: time,
  etag: 'W/"1"',
  time,
  remarks: [{ at: "1" }],
};
const members = Object.entries(readOnly).flatMap(([name, value]) => [
  [name, { no: 1, [name]: value }] as const,
  ...(name === "remarks"
    ? []
    : [[`parts: ${name}`, { no: 1, parts: [{ part: 1, [name]: value }] }] as const]),
]);

for (const [name, line] of members as readonly (readonly [string, object])[])
  test(`assign adds no member with a value that only reads and saves set: ${name}`, async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Row, Order, Line, Part, Remark]);
    const context = new TableContext(storage);
    const order = context.create(Order, { shop: "s", id: 1, lines: [] });

    expect(() => context.assign(order, { lines: [line] })).toThrow(
      expect.objectContaining({ code: "plain.read-only" }),
    );
    expect(order.lines).toEqual([]);
    context.assign(order, { lines: [{ ...line, [name]: null, parts: [{ part: 1, etag: null }] }] });
    expect(order.lines).toMatchObject([{ no: 1, parts: [{ part: 1 }] }]);
  });
