import { expect, test } from "vitest";
import { defineEntity, defineKind, int32, text } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { padded } from "../../../src/keys.ts";
import { retype, upgrades } from "../../../src/upgrades.ts";
import { kindChooser } from "../../../src/model/codec/choose-kind.ts";
import type { KindChooser } from "../../../src/model/codec/choose-kind.ts";
import { modelOf } from "../../../src/model/declaration/model-registry.ts";
import type { PredicateNode } from "../../../src/query/build/predicate-node.ts";
import { Conditions } from "../../../src/query/plan/conditions.ts";
import type { PlannedRequest } from "../../../src/query/plan/query-plan.ts";
import { RowCheck } from "../../../src/query/run/row-check.ts";
import type { UnreadableRowPolicy } from "../../../src/model/codec/unreadable-row.ts";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: padded(2) },
  properties: { amount: text() },
  version: upgrades({ quantity: int32() }).to(
    2,
    retype("quantity", "amount", text(), (count: number) => {
      if (count === 13) throw new Error("unlucky");
      return `${count} pcs`;
    }),
  ),
}) {}

class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: { id: text() },
  properties: {},
}) {}
class City extends defineKind(Place, { kind: "City", properties: {} }) {}
class Village extends defineKind(Place, { kind: "Village", properties: {} }) {}

const isTenPieces: PredicateNode = { type: "compare", property: "amount", op: "eq", value: "10 pcs" };
const order = (quantity: number): StoredEntity => ({ PartitionKey: "s", RowKey: "01", quantity });
const request = (needsCheck: boolean): PlannedRequest =>
  ({ type: "row range scan", needsCheck }) as unknown as PlannedRequest;

const checkOf = (unreadableRows: UnreadableRowPolicy, chooser = kindChooser([Order])): RowCheck =>
  new RowCheck({ chooser, unreadableRows, conditions: new Conditions().and([isTenPieces]) });

test("an older row is checked in its present form", () => {
  const check = checkOf("error");

  expect(check.ofRequest(order(10), request(true))?.model).toBe(modelOf(Order));
  expect(check.ofRequest(order(9), request(true))).toBeUndefined();
});

test("a row that cannot be upgraded is an error, left out, or of the query as it is", () => {
  expect(() => checkOf("error").ofRequest(order(13), request(true))).toThrow(
    expect.objectContaining({ code: "upgrade.step-failed" }) as Error,
  );
  expect(checkOf("skip").ofRequest(order(13), request(true))).toBeUndefined();
  expect(checkOf("raw").ofRequest(order(13), request(true))?.model).toBe(modelOf(Order));
});

test("what a request decided is not checked again, those rows excepted that may be left out", () => {
  expect(checkOf("error").ofRequest(order(13), request(false))?.model).toBe(modelOf(Order));
  expect(checkOf("raw").ofRequest(order(13), request(false))?.model).toBe(modelOf(Order));
  expect(checkOf("skip").ofRequest(order(13), request(false))).toBeUndefined();
});

test("the kind of a row is chosen once", () => {
  const chooser = kindChooser([City]);
  let choices = 0;
  const counting: KindChooser = { ...chooser, choose: (row) => (choices++, chooser.choose(row)) };
  const check = new RowCheck({ chooser: counting, unreadableRows: "error", conditions: new Conditions() });
  const row = { PartitionKey: "fr", RowKey: "1", Kind: "City" };

  expect(check.ofRequest(row, request(true))?.model).toBe(modelOf(City));
  expect(choices).toBe(1);
  expect(check.again(row)).toEqual({ row, model: modelOf(City) });
  expect(choices).toBe(2);
  expect(check.ofRequest({ ...row, Kind: modelOf(Village).kind?.name ?? "" }, request(true))).toBeUndefined();
});
