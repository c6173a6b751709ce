import { describe, expect, test } from "vitest";
import { bool, defineEntity, defineKind, int32, text } from "../../../src/index.ts";
import { constant, verbatim } from "../../../src/keys.ts";
import { embedded, json, modelOf, type TableError, updatedAt } from "../../../src/models.ts";
import { add, rename, upgrades } from "../../../src/upgrades.ts";

class Address {
  street?: string | undefined;
  city?: string | undefined;
}

class Shown {
  get label(): string {
    return "shown";
  }
}
class Below extends Shown {}

const keys = { table: "People", partitionKey: { tenant: text() }, rowKey: { id: text() } } as const;
const address = embedded(Address, { street: text(), city: text().optional() });

const refusalOf = (declare: () => unknown): TableError => {
  try {
    const declared = declare();
    modelOf(declared as never);
  } catch (error) {
    return error as TableError;
  }
  return expect.unreachable("it was accepted");
};

describe("T11: an embedded object is refused", () => {
  test("as a part of a key, with an index as the remedy", () => {
    const error = refusalOf(() =>
      defineEntity({ ...keys, rowKey: { home: address as never }, properties: {} }),
    );

    expect(error.code).toBe("model.property-type");
    expect(error.message).toContain("index");
  });

  test("in an array, with json and children as the remedies", () => {
    const error = refusalOf(() => defineEntity({ ...keys, properties: { home: [address] as never } }));

    expect(error.code).toBe("model.property-type");
    expect(refusalOf(() => embedded([Address] as never, {})).message).toMatch(/json\(\).*children/);
  });

  test("inside of an object of its own class", () => {
    const inner = embedded(Address, { street: text(), city: address as never });

    const error = refusalOf(() => defineEntity({ ...keys, properties: { inner } }));

    expect(error.code).toBe("model.property-type");
    expect(error.message).toMatch(/inner\.city.*json\(\).*children/);
  });
});

describe("a declaration of an embedded object is refused", () => {
  test.each<readonly [why: string, home: () => unknown]>([
    ["that stores nothing", () => embedded(Address, {})],
    ["with a constant default of a leaf", () => embedded(Address, { city: text().default("Oslo") })],
    ["with a leaf that saves assign", () => embedded(Address, { city: updatedAt() as never })],
    ["with a leaf of the name of a condition", () => embedded(Object as never, { exists: bool() } as never)],
    [
      "with an object of the name of a condition",
      () => embedded(Object as never, { exists: embedded(Object, { a: text() } as never) } as never),
    ],
    ["with a leaf of a name that objects use", () => embedded(Object, { toString: text() } as never)],
    ["with a leaf of a name with a dot", () => embedded(Object, { "a.b": text().named("ab") } as never)],
    ["with a leaf that has a getter alone", () => embedded(Shown, { label: text() } as never)],
    ["with a leaf whose base has a getter alone", () => embedded(Below, { label: text() } as never)],
    ["without a class", () => embedded(undefined as never, { city: text() } as never)],
    ["without leaves", () => embedded(Address, undefined as never)],
    ["with a default", () => (address as { default(value: unknown): unknown }).default(new Address())],
    ["with onSave", () => (address as { onSave(make: unknown): unknown }).onSave(() => new Address())],
  ])("%s", (_why, home) => {
    const error = refusalOf(() => defineEntity({ ...keys, properties: { home: home() as never } }));

    expect(error.code).toBe("model.property-type");
  });
});

test("a leaf may have a getter alone where a function makes the objects", () => {
  const home = embedded(Shown, { label: text() } as never, { create: () => new Shown() });

  expect(modelOf(defineEntity({ ...keys, properties: { home } }) as never).embedded).toHaveLength(1);
});

test("leaves may have stored names of their own, and the object a beginning of theirs", () => {
  class Person extends defineEntity({
    ...keys,
    properties: { home: embedded(Address, { street: text().named("Street"), city: text() }).named("addr") },
  }) {}

  const names = modelOf(Person).properties.map(({ name, storedName }) => [name, storedName]);

  expect(names).toEqual([
    ["home.street", "Street"],
    ["home.city", "addr_city"],
  ]);
});

test("upgrade steps name stored columns", () => {
  class Person extends defineEntity({
    ...keys,
    properties: { address },
    version: upgrades({ Street: text(), City: text().optional() }).to(
      2,
      rename("Street", "address_street"),
      rename("City", "address_city"),
    ),
  }) {}

  expect(modelOf(Person).version?.number).toBe(2);
  const missing = refusalOf(() =>
    defineEntity({
      ...keys,
      properties: { address },
      version: upgrades({ address_street: text() }).to(2, add("age", int32(), 1)) as never,
    }),
  );
  expect(missing.code).toBe("model.upgrades");
});

test("a kind adds embedded objects to those of its base", () => {
  class Party extends defineEntity({ ...keys, table: "Parties", properties: { address } }) {}
  class Firm extends defineKind(Party, {
    kind: "Firm",
    properties: { office: embedded(Address, { city: text() }), tags: json<string[]>() },
    indexes: { byOffice: { rowKey: { "office.city": constant("OFFICE:", verbatim) } } },
  }) {}

  const { embedded: objects = [] } = modelOf(Firm);

  expect(objects.map(({ name }) => name)).toEqual(["address", "office"]);
});
