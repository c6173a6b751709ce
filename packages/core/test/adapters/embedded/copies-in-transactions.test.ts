import { expect, test } from "vitest";
import { prepareTransaction } from "../../../src/adapters/embedded/prepare-transaction.ts";
import { codecOf } from "../../../src/codec/codec-of.ts";
import { copyOfWrite, writeOf } from "../../../src/codec/encoded-write.ts";
import { defineEntity, int32, text } from "../../../src/index.ts";
import { constant, padded } from "../../../src/keys.ts";
import type { IndexModel } from "../../../src/model/entity-model.ts";
import { modelOf } from "../../../src/model/model-registry.ts";
import { plainOf, type WriteOperation } from "../../../src/storage/write-operation.ts";

class Runner extends defineEntity({
  table: "Runners",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(4)) },
  properties: { age: int32(), name: text() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)), bib: padded(4) } } },
}) {}

const model = modelOf(Runner);
const byAge = model.indexes[0] as IndexModel;

function runnerWithCopy(bib: number, age: number): readonly [WriteOperation, WriteOperation] {
  const runner = new Runner({ race: "Oslo", bib, age, name: `Runner ${bib}` });
  const key = { partitionKey: "Oslo", rowKey: `BIB:000${bib}` };
  const own = writeOf("insert", model, key, codecOf(model).write(runner, key).values);
  return [own, copyOfWrite(own, byAge, `AGE:0${age}_000${bib}`) as WriteOperation];
}

test("a copy that shares what was prepared of its entity's row is stored as one that is prepared alone", () => {
  const [one, copyOfOne] = runnerWithCopy(1, 42);
  const [two, copyOfTwo] = runnerWithCopy(2, 43);
  const operations = [one, two, copyOfOne, copyOfTwo];

  const shared = prepareTransaction(operations, true);
  const alone = prepareTransaction(operations.map(plainOf));

  expect(shared[2]?.values).toBe(shared[0]?.values);
  expect(shared[3]?.values).toBe(shared[1]?.values);
  for (const [i, prepared] of shared.entries()) {
    const [{ values, ...rest }, { values: expected, ...others }] = [prepared, alone[i] as typeof prepared];
    expect({ ...rest, isNew: undefined }).toEqual({ ...others, isNew: undefined });
    expect(Buffer.from(values.body).toString()).toBe(expected.body);
    expect(values.signature).toEqual(expected.signature);
  }
});

test("a copy whose entity's row is in no list with it, or in one that others may have changed, is prepared alone", () => {
  const [own, copy] = runnerWithCopy(1, 42);

  const [alone] = prepareTransaction([copy], true);
  const unmarked = prepareTransaction([own, copy]);

  expect(Buffer.from(alone?.values.body ?? "").toString()).toBe('{"age":42,"name":"Runner 1"}');
  expect(unmarked[1]?.values).not.toBe(unmarked[0]?.values);
  expect(unmarked[1]?.values).toEqual(unmarked[0]?.values);
});

test("a copy under a key that is not storable is refused, and named", () => {
  const [own] = runnerWithCopy(1, 42);
  const copy = copyOfWrite(own, byAge, "AGE:0/1") as WriteOperation;

  expect(() => prepareTransaction([own, copy], true)).toThrow(
    expect.objectContaining({ code: "storage.out-of-range-input", index: 1 }),
  );
});
