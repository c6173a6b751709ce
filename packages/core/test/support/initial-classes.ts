import { fc } from "@fast-check/vitest";
import {
  binary,
  bool,
  convert,
  dateTime,
  defineEntity,
  double,
  type EntityClass,
  enumOf,
  guid,
  int32,
  int64,
  json,
  text,
  Ticks,
} from "../../src/index.ts";
import {
  type AnyPropertyType,
  decimal,
  type EntityDeclaration,
  instant,
  plainDate,
} from "../../src/models.ts";
import { verbatim } from "../../src/keys.ts";
import { registerEntity } from "../../src/models.ts";
import { add, upgrades } from "../../src/upgrades.ts";

/** A type of property, what instances may begin with, and a stored value. */
interface Sample {
  readonly type: () => AnyPropertyType;
  /** A new value each time, as a constructor makes it. */
  readonly initial: () => unknown;
  readonly stored: Readonly<Record<string, unknown>>;
}

const valued = (value: unknown, type?: string): Readonly<Record<string, unknown>> => ({
  ...(type !== undefined && { "@odata.type": type }),
  "": value,
});

/** Every type of property. */
const samples: readonly Sample[] = [
  { type: text, initial: () => "begin", stored: valued("there") },
  { type: bool, initial: () => false, stored: valued(true) },
  { type: int32, initial: () => 0, stored: valued(5) },
  { type: int64, initial: () => 7n, stored: valued("5", "Edm.Int64") },
  { type: double, initial: () => -0, stored: valued(1.5) },
  { type: dateTime, initial: () => new Date(5), stored: valued("2024-02-29T23:59:59Z", "Edm.DateTime") },
  {
    type: () => dateTime({ ticks: true }),
    initial: () => Ticks.fromDate(new Date(5)),
    stored: valued("2024-02-29T23:59:59.1234567Z", "Edm.DateTime"),
  },
  {
    type: guid,
    initial: () => "4185404a-5818-48c3-b9be-f217df0dba6f",
    stored: valued("0185404a-5818-48c3-b9be-f217df0dba6f", "Edm.Guid"),
  },
  { type: binary, initial: () => new Uint8Array([1]), stored: valued("AAEC", "Edm.Binary") },
  { type: () => json<string[]>(), initial: () => [], stored: valued('["a"]') },
  { type: () => json<object>(), initial: () => ({ a: [1] }), stored: valued("{}") },
  { type: () => enumOf(["open", "done"]), initial: () => "open", stored: valued("done") },
  {
    type: () => convert<URL>({ toText: ({ href }) => href, fromText: (href) => new URL(href) }),
    initial: () => new URL("https://begin.example/"),
    stored: valued("https://there.example/"),
  },
  { type: () => decimal({ scale: 2 }), initial: () => "0.5", stored: valued("1250", "Edm.Int64") },
  { type: plainDate, initial: () => "2024-02-29", stored: valued("1999-12-31") },
  {
    type: instant,
    initial: () => "2024-02-29T10:00:00+01:00",
    stored: valued("2024-02-29T23:59:59.1234567Z", "Edm.DateTime"),
  },
];

/**
 * How a class says what its properties begin with: `default()` of a declaration, the constructor of a class that a decorator
 * registers, that of one that extends a declaration, or a factory.
 */
const forms = ["default", "constructor", "extended", "factory"] as const;

/** A property by its sample, and whether instances begin with a value. */
type Chosen = readonly [sample: number, hasInitial: boolean];

export interface InitialClass {
  readonly form: (typeof forms)[number];
  readonly isVersioned: boolean;
  readonly entityClass: EntityClass;
  readonly properties: readonly {
    readonly name: string;
    readonly sample: Sample;
    readonly hasInitial: boolean;
  }[];
}

const parts = { partitionKey: { p: text() }, rowKey: { id: text() } } as const;

/** Steps are typed by the versions before them, of which a random one has none. */
const chainOver = upgrades as unknown as (properties: Readonly<Record<string, AnyPropertyType>>) => {
  to(version: number, ...steps: readonly unknown[]): unknown;
};

function classOf(
  form: InitialClass["form"],
  chosen: readonly Chosen[],
  isVersioned: boolean,
  table: string,
): InitialClass {
  const properties = chosen.map(([at, hasInitial], i) => ({
    name: `p${i}`,
    sample: samples[at] as Sample,
    hasInitial,
  }));
  const types = Object.fromEntries(
    properties.map(({ name, sample, hasInitial }) => {
      const type = sample.type() as ReturnType<typeof text>;
      if (!hasInitial) return [name, type.optional()];
      return [
        name,
        form === "default"
          ? type.default(sample.initial() as string)
          : form === "constructor"
            ? type
            : type.optional(),
      ];
    }),
  ) as Record<string, AnyPropertyType>;
  const version = isVersioned
    ? { version: chainOver({ ...types, touched: text().optional() }).to(2, add("added", int32(), 7)) }
    : {};
  const own = { ...types, ...(isVersioned && { added: int32() }), touched: text().optional() };
  const begin = (entity: object): void => {
    const values = entity as Record<string, unknown>;
    for (const { name, sample, hasInitial } of properties) if (hasInitial) values[name] ??= sample.initial();
  };
  return {
    form,
    isVersioned,
    properties,
    entityClass: buildClass(form, { table, ...parts, properties: own, ...version } as never, begin),
  };
}

type Declaration = EntityDeclaration;

function buildClass(
  form: InitialClass["form"],
  declaration: Declaration,
  begin: (entity: object) => void,
): EntityClass {
  switch (form) {
    case "default":
      return class extends defineEntity(declaration) {} as EntityClass;
    case "extended":
      return class extends defineEntity(declaration) {
        constructor(values?: never) {
          super(values);
          begin(this);
        }
      } as EntityClass;
    case "factory": {
      let make = (): object => ({});
      const entityClass = class extends defineEntity({ ...declaration, create: (): object => make() }) {
        constructor(isMade: boolean) {
          super();
          if (!isMade) throw new TypeError("The factory makes them.");
          begin(this);
        }
      };
      make = () => new entityClass(true);
      return entityClass as EntityClass;
    }
    case "constructor": {
      const entityClass = class {
        constructor() {
          begin(this);
        }
      };
      const { properties, table, version } = declaration as EntityDeclaration & { version?: never };
      registerEntity(entityClass, () => ({
        table,
        options: {},
        ...(version !== undefined && { version }),
        partitionKey: [{ property: "p", format: verbatim }],
        rowKey: [{ property: "id", format: verbatim }],
        properties: Object.entries(properties).map(([name, type]) => ({ name, type })),
      }));
      return entityClass;
    }
    default:
      return form satisfies never;
  }
}

let tables = 0;

/** A class of one of the forms, in a table of its own. */
export const initialClass: fc.Arbitrary<InitialClass> = fc
  .tuple(
    fc.constantFrom(...forms),
    fc.array(fc.tuple(fc.nat(samples.length - 1), fc.boolean()), { minLength: 1, maxLength: 6 }),
    fc.boolean(),
  )
  .map(([form, chosen, isVersioned]) => classOf(form, chosen, isVersioned, `Initials${++tables}`));

/** One class of each form that has a property of each type with an initial value, and one without. */
export const everyForm = (isVersioned: boolean): InitialClass[] =>
  forms.map((form) =>
    classOf(
      form,
      samples.flatMap((_, at): Chosen[] => [
        [at, true],
        [at, false],
      ]),
      isVersioned,
      `Initials${++tables}`,
    ),
  );

/** The members of a row that has a value of these properties. */
export function membersOf(
  { properties }: InitialClass,
  present: readonly boolean[],
): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  for (const [i, { name, sample }] of properties.entries())
    if (present[i] === true)
      for (const [part, value] of Object.entries(sample.stored)) members[name + part] = value;
  return members;
}
