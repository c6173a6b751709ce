// Registrations for a race, for the benchmarks of indexes: without an index, with one full copy, and with
// two.
import { bool, dateTime, defineEntity, double, int32, text } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { constant, padded, verbatim } from "@partita/core/keys";

const shape = {
  table: "Runners",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(6)) },
  properties: {
    name: text(),
    age: int32(),
    club: text(),
    email: text(),
    country: text(),
    fee: double(),
    paid: bool(),
    registeredOn: dateTime(),
  },
} as const;
const byAge = { rowKey: { age: constant("AGE:", padded(3)), bib: padded(6) } } as const;
const byClub = { rowKey: { club: constant("CLUB:", verbatim), bib: padded(6) } } as const;

export class Runner extends defineEntity(shape) {}
export class RunnerByAge extends defineEntity({ ...shape, indexes: { byAge } }) {}
export class RunnerByAgeAndClub extends defineEntity({ ...shape, indexes: { byAge, byClub } }) {}

export type RunnerValues = NonNullable<ConstructorParameters<typeof Runner>[0]>;

export const runnerValues = (race: string, bib: number): RunnerValues => ({
  race,
  bib,
  name: `Runner number ${bib}`,
  age: 18 + ((bib * 7) % 60),
  club: `Club ${bib % 50}`,
  email: `${bib}@example.org`,
  country: "PT",
  fee: 49.5,
  paid: bib % 2 === 0,
  registeredOn: new Date(Date.UTC(2026, 0, 1) + bib * 1000),
});

/** The hand-written rows of a runner: its own row, and the requested number of copies. */
export function rowsByHand(values: RunnerValues, copies: number): StoredEntity[] {
  const { race, bib, registeredOn, ...rest } = values;
  const stored = {
    ...rest,
    "registeredOn@odata.type": "Edm.DateTime",
    registeredOn: registeredOn.toISOString(),
  };
  const number = String(bib).padStart(6, "0");
  const keys = [
    `BIB:${number}`,
    `AGE:${String(values.age).padStart(3, "0")}_${number}`,
    `CLUB:${values.club}_${number}`,
  ];
  const marks = [{}, { _row: "index:byAge" }, { _row: "index:byClub" }];
  return keys
    .slice(0, 1 + copies)
    .map((RowKey, i) => ({ PartitionKey: race, RowKey, ...marks[i], ...stored }));
}
