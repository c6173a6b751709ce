import { isLong } from "@partita/test-support/effort";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { lawParts } from "@partita/test-support/seed";
import { describe, expect } from "vitest";
import {
  createTables,
  defineEntity,
  type EntityClass,
  int32,
  openStorage,
  TableContext,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import {
  add,
  join,
  type NamedStep,
  remove,
  rename,
  retype,
  type Shape,
  split,
  type UpgradeChain,
  upgrades,
} from "../../src/upgrades.ts";
import { upgradeTable } from "@partita/maintenance";

// Random chains of steps, rows of every version, and programs of several versions that write to one table in turns. A
// reference keeps each row as a plain object and upgrades it by plain functions.

const runs = isLong ? 10_000 : 400;

type Values = Record<string, string | number | undefined>;

/** A step, and what it means to a plain object. */
interface Change {
  readonly step: NamedStep;
  readonly apply: (values: Values) => void;
}

interface Release {
  readonly entityClass: EntityClass;
  readonly shape: Shape;
  readonly number: number;
}

const take = (values: Values, name: string): string | number | undefined => {
  const value = values[name];
  delete values[name];
  return value;
};

/** A step that fits the shape, chosen by a number. */
function changeFor(shape: Shape, choice: number, fresh: string): Change {
  const names = Object.keys(shape);
  const name = names[choice % Math.max(1, names.length)] as string;
  const isText = shape[name]?.serializer.name === "Text";
  const kinds = names.length === 0 ? ["add"] : ["add", "rename", "remove", "retype", "split", "join"];
  const set = (values: Values, to: string, value: string | number | undefined): void => {
    if (value !== undefined) values[to] = value;
  };
  switch (kinds[Math.floor(choice / 7) % kinds.length]) {
    case "rename":
      return { step: rename(name, fresh), apply: (v) => set(v, fresh, take(v, name)) };
    case "remove":
      return { step: remove(name), apply: (v) => void take(v, name) };
    case "retype": {
      const convert = (value: string | number): string => `${value}!`;
      return {
        step: retype(name, fresh, text(), convert) as NamedStep,
        apply(v) {
          const value = take(v, name);
          set(v, fresh, value === undefined ? undefined : convert(value));
        },
      };
    }
    case "split": {
      const halves = (value: string | number) => ({
        [`${fresh}a`]: String(value).slice(0, 1),
        [`${fresh}b`]: String(value).slice(1),
      });
      return {
        step: split(name, { [`${fresh}a`]: text(), [`${fresh}b`]: text() }, halves as never) as NamedStep,
        apply(v) {
          const value = take(v, name);
          if (value !== undefined) Object.assign(v, halves(value));
        },
      };
    }
    case "join": {
      const other = names[(choice + 1) % names.length] as string;
      const from = other === name ? [name] : [name, other];
      const convert = (values: Values): string => from.map((each) => String(values[each] ?? "-")).join("+");
      return {
        step: join(from, fresh, text(), convert as never) as unknown as NamedStep,
        apply(v) {
          const values = Object.fromEntries(from.map((each) => [each, take(v, each)]));
          if (Object.values(values).some((value) => value !== undefined)) v[fresh] = convert(values);
        },
      };
    }
    default:
      return isText || choice % 2 === 0
        ? { step: add(fresh, text().optional(), "new"), apply: (v) => void (v[fresh] ??= "new") }
        : { step: add(fresh, int32().optional(), 7), apply: (v) => void (v[fresh] ??= 7) };
  }
}

const optional = (shape: Shape): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { serializer }]) => [
      name,
      serializer.name === "Int32" ? int32().optional() : text().optional(),
    ]),
  );

interface History {
  readonly choices: readonly (readonly number[])[];
  readonly commands: readonly {
    readonly type: string;
    readonly row: number;
    readonly release: number;
    readonly n: number;
  }[];
}
const history: fc.Arbitrary<History> = fc.record({
  choices: fc.array(fc.array(fc.nat(1000), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  commands: fc.array(
    fc.record({
      type: fc.constantFrom(
        "insert",
        "insert",
        "insert",
        "edit",
        "edit",
        "clear",
        "delete",
        "read",
        "write",
        "background",
      ),
      row: fc.nat(4),
      release: fc.nat(4),
      n: fc.nat(99),
    }),
    { minLength: 1, maxLength: 14 },
  ),
});

let made = 0;

describe.each(lawParts(runs, 4))("part $part", ({ options }) => {
  propertyTest.prop([history], options)(
    "no property is lost, no row half upgraded, and all programs stay right",
    async ({ choices, commands }) => {
      const table = `History${made++}`;
      const keys = { table, partitionKey: { p: text() }, rowKey: { id: text() } } as const;
      const first = { A: text().optional(), B: int32().optional() };
      let chain = upgrades(first) as unknown as UpgradeChain & {
        to: (version: number, ...steps: NamedStep[]) => never;
      };
      const upward: ((values: Values) => void)[] = [];
      const release = (): Release => {
        const shape = chain.shapes.at(-1) as Shape;
        const entity = defineEntity({
          ...keys,
          version: chain,
          properties: optional(shape) as never,
        } as never);
        return { entityClass: entity as EntityClass, shape, number: chain.version };
      };
      const releases = [release()];
      for (const [v, steps] of choices.entries()) {
        const changes: Change[] = [];
        let shape = chain.shapes.at(-1) as Shape;
        for (const [i, choice] of steps.entries()) {
          const change = changeFor(shape, choice, `P${v}x${i}`);
          const probe = upgrades(shape as never) as unknown as {
            to: (version: number, step: NamedStep) => UpgradeChain;
          };
          shape = probe.to(2, change.step).shapes[1] as Shape;
          changes.push(change);
        }
        chain = chain.to(v + 2, ...changes.map(({ step }) => step));
        upward.push((values) => {
          for (const { apply } of changes) apply(values);
        });
        releases.push(release());
      }
      const last = releases.at(-1) as Release;
      await using storage = await openStorage("memory:");
      await createTables(storage, [last.entityClass]);

      /** Each row as it is stored: its version, and its values; `Extra` is known to no version. */
      const rows = new Map<string, { version: number; values: Values }>();
      const raised = ({ version, values }: { version: number; values: Values }, to: number): Values => {
        const now = { ...values };
        for (let v = version; v < to; v++) upward[v - 1]?.(now);
        return now;
      };
      const valueFor = (shape: Shape, name: string, n: number): string | number =>
        shape[name]?.serializer.name === "Int32" ? n : `t${n}`;

      const check = async (): Promise<void> => {
        const { entities } = await storage.query(table, {});
        const stored = entities.map(
          ({ PartitionKey: _p, RowKey, Timestamp: _t, "odata.etag": _e, ...rest }: StoredEntity) => [
            RowKey,
            rest,
          ],
        );
        const expected = [...rows]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([id, { version, values }]) => [id, { ...values, SchemaVersion: version }]);
        expect(stored).toEqual(expected);
        const read = await new TableContext(storage, { mergeOption: "noTracking" })
          .query(last.entityClass)
          .where({ p: "p" } as never)
          .toArray();
        const names = Object.keys(last.shape);
        const pick = (values: object): object =>
          Object.fromEntries(names.map((name) => [name, (values as Values)[name]]));
        expect(read.map(pick)).toEqual(
          [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => pick(raised(row, last.number))),
        );
      };

      for (const { type, row, release: chosen, n } of commands) {
        const id = String(row);
        const { entityClass, shape, number } = releases[chosen % releases.length] as Release;
        const known = rows.get(id);
        const context = new TableContext(storage, type === "write" ? { upgrade: "write" } : {});
        const names = Object.keys(shape);
        if (type === "insert" && known === undefined) {
          const values: Values = { Extra: n };
          for (const [i, name] of names.entries())
            if ((n + i) % 3 !== 0) values[name] = valueFor(shape, name, n + i);
          const entity = { PartitionKey: "p", RowKey: id, ...values, SchemaVersion: number } as StoredEntity;
          await storage.write(table, { type: "insert", entity });
          rows.set(id, { version: number, values });
        } else if ((type === "edit" || type === "clear" || type === "delete") && known !== undefined) {
          const entity = (await context.find(entityClass, { p: "p", id } as never)) as Values;
          const name = names[n % Math.max(1, names.length)];
          const before = name === undefined ? undefined : entity[name];
          if (type === "delete") context.remove(entity);
          else if (name !== undefined)
            entity[name] = type === "clear" ? undefined : valueFor(shape, name, n + 100);
          const results = await context
            .saveChanges()
            .catch((error: { results: { error?: { code?: string } }[] }) => error.results);
          const isNewer = known.version > number;
          const isRefused = results.some(
            ({ error }) => (error as { code?: string } | undefined)?.code === "entity.newer-version",
          );
          const isChange = type === "delete" || (name !== undefined && entity[name] !== before);
          expect(isRefused).toBe(isNewer && isChange);
          if (type === "delete" && !isRefused) rows.delete(id);
          else if (name !== undefined && results.length > 0 && !isRefused) {
            const values = raised(known, number);
            if (type === "clear") delete values[name];
            else values[name] = valueFor(shape, name, n + 100);
            rows.set(id, { version: number, values });
          }
        } else if (type === "write") {
          await context
            .query(last.entityClass)
            .where({ p: "p" } as never)
            .toArray();
          for (const [each, stored] of rows)
            rows.set(each, { version: last.number, values: raised(stored, last.number) });
        } else if (type === "background") {
          const report = await upgradeTable(storage, [last.entityClass], { concurrency: 1 });
          expect(report.isClean).toBe(true);
          for (const [each, stored] of rows)
            rows.set(each, { version: last.number, values: raised(stored, last.number) });
          const again = await upgradeTable(storage, [last.entityClass], { concurrency: 1 });
          expect(again.upgraded).toBe(0);
        }
        await check();
      }
    },
  );
});
