// The acceptance cases of plain data and schemas, P2 to P6, and the effects of their decisions. The same in
// all forms.

import { createTables, type EntityClass, fromPlain, openStorage, TableContext, toPlain } from "@partita/core";
import type { PlainEntity } from "@partita/core/models";
import { inputSchema, type JsonSchema, jsonSchema } from "@partita/json-schema";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { ends, type PlainClasses, usual } from "./plain-classes.ts";

type Values = Record<string, unknown>;

/** A public validator for a schema, which must be valid itself. */
export function validatorOf(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

const sent = (plain: unknown): PlainEntity => JSON.parse(JSON.stringify(plain)) as PlainEntity;

/** Issues as paths with points. */
const pathsOf = (result: {
  readonly issues?: readonly { readonly path: readonly (string | number)[] }[] | undefined;
}): string[] => (result.issues ?? []).map(({ path }) => path.join(".")).toSorted();

const validate = (entityClass: EntityClass, data: unknown): string[] =>
  pathsOf(inputSchema(entityClass)["~standard"].validate(data));

export function plainCases(classes: PlainClasses): void {
  const { Customer, Everything, Item, Remark, Sale, SaleRow } = classes;
  const everything = (values: Partial<typeof usual> = {}): object =>
    Object.assign(new Everything(), usual, values);
  const atEnds = Object.entries(ends).flatMap(([name, values]) =>
    (values as readonly unknown[]).map((value) => ({ name, entity: everything({ [name]: value }) })),
  );
  const sale = (): object =>
    Object.assign(new Sale(), {
      tenant: "acme",
      id: "7",
      items: [1, 2].map((no) =>
        Object.assign(new Item(), { tenant: "acme", id: "7", no, sku: "A", qty: no }),
      ),
    });

  test("P2: values at the ends of their types go through JSON and come back equal", () => {
    for (const { entity } of atEnds) {
      const again = fromPlain(Everything, sent(toPlain(entity)));

      expect(again).toEqual(entity);
      expect(again).toBeInstanceOf(Everything);
    }
  });

  test("P2: embedded objects go along, as instances of their classes", () => {
    const ann = fromPlain(Customer, {
      tenant: "acme",
      id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      name: "Ann",
      email: "a@b.no",
      address: { street: "Gate 1", city: "Oslo", position: { north: "NaN" } },
      settings: {},
    });
    const plain = toPlain(ann);

    expect(plain.address).toEqual({ street: "Gate 1", city: "Oslo", position: { north: "NaN" } });
    expect(plain.settings).toEqual({});
    const again = fromPlain(Customer, sent(plain) as typeof plain);
    expect(again).toEqual(ann);
    expect(again.address?.label()).toBe("Gate 1, Oslo");
    expect(validatorOf(jsonSchema(Customer, { for: "input" }))(sent(plain))).toBe(true);
  });

  test("P2: lists go along", () => {
    const again = fromPlain(Sale, sent(toPlain(sale())));

    expect(again).toEqual(sale());
    expect(again.items?.[1]).toBeInstanceOf(Item);
  });

  test("hidden properties are in neither direction, except in copies", async () => {
    await using storage = await openStorage("memory:");
    const ann = Object.assign(new Customer(), {
      tenant: "acme",
      id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      name: "Ann",
      email: "a@b.no",
      passwordHash: "secret",
    });
    const copy = sent(toPlain(ann, { hidden: true }));

    expect(toPlain(ann)).not.toHaveProperty("passwordHash");
    expect(copy["passwordHash"]).toBe("secret");
    expect(fromPlain(Customer, copy, { hidden: true })).toEqual(ann);
    const refused = expect.objectContaining({
      code: "plain.unknown-property",
      message: expect.not.stringContaining("secret") as string,
    }) as Error;
    expect(() => fromPlain(Customer, copy)).toThrow(refused);
    const context = new TableContext(storage);
    context.attach(ann, "*");
    for (const passwordHash of ["other", null])
      expect(() => context.assign(ann, { passwordHash })).toThrow(refused);
    expect(ann.passwordHash).toBe("secret");
  });

  test("P3: input has what a client may set, output what is always there", () => {
    const input = jsonSchema(Customer, { for: "input" });
    const output = jsonSchema(Customer, { for: "output" });

    validatorOf(input);
    validatorOf(output);
    expect(Object.keys(input["properties"] as Values)).toEqual([
      "tenant",
      "id",
      "name",
      "email",
      "note",
      "stars",
      "address",
      "settings",
    ]);
    expect((input["properties"] as Values)["address"]).toEqual({
      type: "object",
      properties: {
        street: { type: "string", maxLength: 32_768 },
        city: { type: "string", maxLength: 32_768 },
        position: {
          type: "object",
          properties: { north: doubleSchema },
          required: ["north"],
          additionalProperties: false,
        },
      },
      required: ["street"],
      additionalProperties: false,
    });
    expect(input["required"]).toEqual(["tenant", "name", "email"]);
    expect(input["additionalProperties"]).toBe(false);
    expect(output["required"]).toEqual(["tenant", "id", "name", "email", "stars", "createdAt", "updatedAt"]);
    expect(output["properties"]).not.toHaveProperty("passwordHash");
    expect(output["properties"]).toHaveProperty("etag");
    expect(output).not.toHaveProperty("additionalProperties");
  });

  test("P4: each type describes its own form", () => {
    const { properties } = jsonSchema(Everything, { for: "output" });

    expect(properties).toEqual({
      tenant: { type: "string" },
      number: { type: "integer", minimum: 0, maximum: 9999 },
      big: { type: "string", pattern: "^-?[0-9]{1,19}$" },
      newest: timeSchema,
      exact: timeSchema,
      made: { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" },
      guid: { type: "string", format: "uuid" },
      text: { type: "string", maxLength: 32_768 },
      int32: { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 },
      int64: { type: "string", pattern: "^-?[0-9]{1,19}$" },
      double: doubleSchema,
      bool: { type: "boolean" },
      time: timeSchema,
      ticks: timeSchema,
      uuid: { type: "string", format: "uuid" },
      bytes: {
        type: "string",
        contentEncoding: "base64",
        pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
      },
      json: {},
      state: { type: "string", enum: ["open", "done"] },
      link: { type: "string", maxLength: 32_768 },
      price: { type: "string", pattern: "^-?[0-9]{1,17}(\\.[0-9]{1,2})?$" },
      units: { type: "string", pattern: "^-?[0-9]{1,19}$" },
      amount: { type: "string", pattern: "^-?[0-9]{1,18}(\\.[0-9]{1,1})?$" },
      day: { type: "string", format: "date" },
      moment: timeSchema,
      maybe: { type: "string", maxLength: 32_768 },
    });
  });

  test("P5: good data becomes a new entity with a key, and can be saved", async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Customer]);
    const data = { tenant: "acme", name: "Ann", email: "a@b.no" };

    const result = inputSchema(Customer)["~standard"].validate(data);

    if (result.issues !== undefined) throw new Error("Refused.");
    const ann = result.value;
    expect(ann).toBeInstanceOf(Customer);
    expect(ann.id).toHaveLength(26);
    expect(ann.stars).toBe(3);
    const context = new TableContext(storage);
    context.add(ann);
    await context.saveChanges();
    const found = await new TableContext(storage).find(Customer, { tenant: "acme", id: ann.id });
    expect(found).toMatchObject(data);
  });

  test("W8: assign takes times of saves only if they repeat what is there", async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Customer]);
    const context = new TableContext(storage);
    const ann = context.create(Customer, { tenant: "acme", name: "Ann", email: "a@b.no" });
    await context.saveChanges();
    const { id, createdAt, updatedAt } = toPlain(ann);

    context.assign(ann, { id, createdAt, updatedAt, name: "Anna" });
    expect(context.pendingChanges().map(({ assigned }) => assigned)).toEqual([["name"]]);
    for (const other of [{ createdAt: "2026-11-25T10:00:00Z" }, { updatedAt: null }])
      expect(() => context.assign(ann, other)).toThrow(expect.objectContaining({ code: "plain.read-only" }));
  });

  test("P5: bad data has one issue for each fault, with its path", () => {
    expect(
      validate(Customer, {
        name: 1,
        email: null,
        stars: "5",
        id: "no ULID",
        createdAt: "2026-11-25T10:00:00Z",
        passwordHash: "x",
        nope: 1,
      }),
    ).toEqual(["createdAt", "email", "id", "name", "nope", "passwordHash", "stars", "tenant"]);
    const address = { city: 1, position: { north: "north", note: "x" }, nope: 1 };
    expect(validate(Customer, { tenant: "acme", name: "Ann", email: "a", address, settings: 1 })).toEqual([
      "address.city",
      "address.nope",
      "address.position.north",
      "address.position.note",
      "address.street",
      "settings",
    ]);
    const long = { tenant: "acme", name: "x".repeat(32_769), email: "a" };
    expect(validate(Customer, long)).toEqual(["name"]);
    for (const data of [undefined, null, 1, "x", [], () => 1]) expect(validate(Customer, data)).toEqual([""]);
    expect(
      validate(Sale, { tenant: "acme", id: "7", items: [{ no: -1 }, 5, { no: 1, sku: "A", x: 1 }] }),
    ).toEqual(["items.0.no", "items.0.sku", "items.1", "items.2.x"]);
  });

  test("P5: members have the key of their parent, and views are not set", () => {
    const items = [{ no: 1, sku: "A" }];
    const result = inputSchema(Sale)["~standard"].validate({ tenant: "acme", id: "7", items });

    expect(pathsOf(result)).toEqual([]);
    if (result.issues !== undefined) return;
    expect(result.value.items?.[0]).toBeInstanceOf(Item);
    expect(result.value.items?.[0]).toMatchObject({ tenant: "acme", id: "7", no: 1, qty: 1 });
    expect(validate(Sale, { tenant: "acme", id: "7", items: [{ ...items[0], id: "7" }] })).toEqual([
      "items.0.id",
    ]);
    expect(validate(Sale, { tenant: "acme", id: "7", remarks: [] })).toEqual(["remarks"]);
    expect(jsonSchema(Sale, { for: "output" })["properties"]).toHaveProperty("remarks");
  });

  test("only and except say which names a client may set", () => {
    const except = inputSchema(Customer, { except: ["tenant", "stars"] })["~standard"];
    expect(pathsOf(except.validate({ name: "Ann", email: "a" }))).toEqual([]);
    expect(pathsOf(except.validate({ tenant: "beta", name: "Ann", email: "a" }))).toEqual(["tenant"]);
    expect(except.jsonSchema.input({ target: "draft-2020-12" })["required"]).toEqual(["name", "email"]);
    const only = inputSchema(Customer, { for: "patch", only: ["name"] })["~standard"];
    expect(pathsOf(only.validate({ name: "Bo" }))).toEqual([]);
    expect(pathsOf(only.validate({ note: "x" }))).toEqual(["note"]);
    expect(() => inputSchema(Customer, { only: ["nmae" as never] })).toThrow(
      expect.objectContaining({ code: "schema.option" }),
    );
  });

  test("a patch takes what assign takes: changes, null for optional values, members with their keys", () => {
    const { validate: check, jsonSchema: schemas } = inputSchema(Customer, { for: "patch" })["~standard"];
    const patch = { note: null, stars: 4, address: { city: null }, settings: null };
    const isValid = validatorOf(schemas.input({ target: "draft-2020-12" }));

    expect(check(patch)).toEqual({ value: patch });
    expect(isValid(patch)).toBe(true);
    const wrong = {
      name: null,
      id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      updatedAt: "2026-11-25T10:00:00Z",
      address: { street: null },
    };
    expect(pathsOf(check(wrong as never))).toEqual(["address.street", "id", "name", "updatedAt"]);
    expect(isValid(wrong)).toBe(false);
    const ofSale = inputSchema(Sale, { for: "patch" })["~standard"];
    expect(pathsOf(ofSale.validate({ items: [{ no: 1 }, { sku: "B" }] }))).toEqual(["items.1.no"]);
  });

  test("the base of kinds takes each of them by its name", () => {
    const data = { Kind: "Item", tenant: "acme", id: "7", no: 1, sku: "A" };
    const result = inputSchema(SaleRow)["~standard"].validate(data);
    const isValid = validatorOf(jsonSchema(SaleRow, { for: "input" }));

    expect(result).toEqual({ value: expect.any(Item) as unknown });
    expect(isValid(data)).toBe(true);
    for (const kind of ["Nothing", undefined, 1]) {
      expect(validate(SaleRow, { ...data, Kind: kind })).toEqual(["Kind"]);
      expect(isValid({ ...data, Kind: kind })).toBe(false);
    }
    expect(validate(Item, data)).toEqual(["Kind"]);
    const output = validatorOf(jsonSchema(SaleRow, { for: "output" }));
    expect(output(sent(toPlain(sale())))).toBe(true);
    expect(
      output(sent(toPlain(Object.assign(new Remark(), { tenant: "a", id: "1", at: new Date(), text: "x" })))),
    ).toBe(true);
  });

  test("keys that cannot be stored are issues", () => {
    const { validate: check } = inputSchema(Everything)["~standard"];
    const long = { ...sent(toPlain(everything())), tenant: "x".repeat(1100) };

    expect(pathsOf(check(sent(toPlain(everything()))))).toEqual([]);
    expect(pathsOf(check(long))).toEqual([""]);
  });

  test("P6: plain data is valid for the output schema, and for the input schema", () => {
    const output = validatorOf(jsonSchema(Everything, { for: "output" }));
    const input = validatorOf(jsonSchema(Everything, { for: "input" }));

    for (const { name, entity } of atEnds) {
      const plain = sent(toPlain(entity));
      expect([name, output(plain), output.errors]).toEqual([name, true, null]);
      expect([name, input(plain), input.errors]).toEqual([name, true, null]);
    }
    expect(validatorOf(jsonSchema(Sale, { for: "output" }))(sent(toPlain(sale())))).toBe(true);
  });

  test("P6: what fromPlain refuses is invalid input", () => {
    const input = validatorOf(jsonSchema(Everything, { for: "input" }));
    const plain = sent(toPlain(everything()));
    let refused = 0;

    for (const name of [...Object.keys(plain).filter((each) => each !== "link"), "nope"])
      for (const value of wrongValues) {
        const mutated = { ...plain, [name]: value };
        if (!throws(() => fromPlain(Everything, mutated as never))) continue;
        refused++;
        expect([name, value, input(mutated)]).toEqual([name, value, false]);
        expect(validate(Everything, mutated)).toEqual([name]);
      }
    expect(refused).toBeGreaterThan(150);
  });

  test("P6: no value is valid input that the schema does not describe", () => {
    const input = validatorOf(jsonSchema(Everything, { for: "input" }));
    const plain = sent(toPlain(everything()));
    let accepted = 0;

    for (const name of Object.keys(plain))
      for (const value of [...wrongValues, ...otherForms]) {
        const mutated = { ...plain, [name]: value };
        if (validate(Everything, mutated).length > 0) continue;
        accepted++;
        expect([name, value, input(mutated)]).toEqual([name, value, true]);
      }
    expect(accepted).toBeGreaterThan(40);
    expect(validate(Everything, { ...plain, double: -0 })).toEqual([]);
  });

  test("P6: what JSON Schema cannot say is invalid input all the same", () => {
    const input = validatorOf(jsonSchema(Everything, { for: "input" }));
    const plain = sent(toPlain(everything()));

    for (const [name, value] of unsaid) {
      const mutated = { ...plain, [name]: value };
      expect([name, throws(() => fromPlain(Everything, mutated as never))]).toEqual([name, true]);
      expect([name, input(mutated)]).toEqual([name, true]);
      expect(validate(Everything, mutated)).toEqual([name]);
    }
  });
}

const timeSchema = {
  type: "string",
  format: "date-time",
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,7})?(Z|[+-][0-9]{2}:[0-9]{2})$",
};
const doubleSchema = { anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity", "-Infinity", "-0.0"] }] };

/** Text that `fromPlain` reads for some type, but `toPlain` does not write. */
const otherForms = [
  "5",
  "+5",
  "05",
  "-0",
  "-0.00",
  "5.000",
  "1.10",
  "2024-02-29",
  "2024-01-01T00:00Z",
  "2024-01-01T00:00:00",
  "2024-01-01 00:00:00Z",
  "2024-01-01t00:00:00z",
  "2024-01-01T00:00:00+02:00",
  "4185404A-5818-48C3-B9BE-F217DF0DBA6F",
  0,
  -0,
];

const wrongValues = [
  true,
  -1,
  1.5,
  10_000,
  1e10,
  "x",
  "-",
  "12.505",
  "99999999999999999999",
  "2026-13-45T00:00:00Z",
  "2026-02-30",
  "AQ=",
  {},
  [],
  [1],
  { a: 1 },
];

/** The list of the guide "What JSON Schema cannot say". */
const unsaid: readonly (readonly [name: string, value: string])[] = [
  ["int64", "9999999999999999999"],
  ["big", "-1"],
  ["price", "99999999999999999.99"],
  ["text", "\ud800"],
  ["link", "no URL"],
  ["day", "0000-01-01"],
  ["moment", "2016-12-31T23:59:60Z"],
  ["newest", "2026-11-25T10:00:00.1234567Z"],
];

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
