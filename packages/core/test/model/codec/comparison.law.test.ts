import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import {
  binary,
  bool,
  dateTime,
  defineEntity,
  double,
  int32,
  int64,
  json,
  text,
} from "../../../src/index.ts";
import { modelOf } from "../../../src/models.ts";
import { codecOf } from "../../../src/model/codec/codec-of.ts";
import { keyOfEntity } from "../../../src/model/codec/entity-key.ts";
import { loopCodec } from "../../../src/model/codec/loop-codec.ts";
import { restoreStored } from "../../../src/model/codec/snapshot.ts";

const hostile = 'a"]=1;globalThis.pwned=1;//';

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties: {
    name: text().optional(),
    count: int32().default(0),
    big: int64().optional(),
    ratio: double().optional(),
    on: bool().optional(),
    at: dateTime().optional(),
    data: json<unknown>().optional(),
    bytes: binary().optional(),
    [hostile]: text().named("Hostile").optional(),
  },
}) {}
const model = modelOf(Thing);

const values = fc.record(
  {
    name: fc.constantFrom("a", "b", "5"),
    count: fc.constantFrom(0, 1),
    big: fc.constantFrom(0n, 5n),
    ratio: fc.constantFrom(0, -0, Number.NaN, 1.5),
    on: fc.boolean(),
    at: fc.constantFrom(new Date(0), new Date(1)),
    data: fc.constantFrom("5", 5, null, [1], { a: 1 }),
    bytes: fc.uint8Array({ maxLength: 4 }),
    [hostile]: fc.constantFrom("x", "y"),
  },
  { requiredKeys: [] },
);

test.prop([values, values, fc.boolean()], { numRuns: 5000 })(
  "the comparison written out for a class finds what the loop finds",
  (before, after, movesKey) => {
    const source = Object.assign(new Thing(), { part: "p", id: "i" }, structuredClone(before));
    const key = keyOfEntity(model, source);
    const stored = restoreStored(model, key, codecOf(model).write(source, key));
    const { entity, snapshot } = codecOf(model).readTracked(
      JSON.parse(JSON.stringify(stored)) as typeof stored,
    );
    const known = { partitionKey: "p", rowKey: "i", keyValues: undefined };
    const asRead = entity as Readonly<Record<string, unknown>>;
    const changed = Object.assign(
      Object.create(Object.getPrototypeOf(entity) as object) as object,
      entity,
      structuredClone(after),
      movesKey && { id: "j" },
    );
    const edited = changed as Readonly<Record<string, unknown>>;

    expect(codecOf(model).changes(asRead, snapshot.values, known)).toBeUndefined();
    expect(loopCodec(model).changes(asRead, snapshot.values, known)).toBeUndefined();
    expect(codecOf(model).changes(edited, snapshot.values, known)).toEqual(
      loopCodec(model).changes(edited, snapshot.values, known),
    );
    expect("pwned" in globalThis).toBe(false);
  },
);
