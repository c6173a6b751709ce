import { expect, test } from "vitest";
import { defineEntity, defineKind, int32, text } from "../../../src/index.ts";
import { modelOf } from "../../../src/models.ts";

const declaration = {
  table: "Redeclared",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { t: text().optional(), n: int32().default(3) },
} as const;

/** A field as a compiler with define semantics leaves it: an own property, defined after the base's constructor. */
const define = (entity: object, name: string): void => {
  Object.defineProperty(entity, name, {
    value: undefined,
    writable: true,
    enumerable: true,
    configurable: true,
  });
};

test("a class whose field overwrites a declared property is refused at first use, with the remedy", () => {
  class Redeclared extends defineEntity(declaration) {
    constructor(values?: ConstructorParameters<ReturnType<typeof defineEntity<typeof declaration>>>[0]) {
      super(values);
      define(this, "t");
    }
  }

  expect(() => modelOf(Redeclared)).toThrow(
    expect.objectContaining({
      code: "model.field-overwrites",
      message: expect.stringMatching(/Redeclared\.t .*"declare t: …".*leave the line out/),
      details: expect.objectContaining({ properties: ["t"] }),
    }),
  );
});

test("a field with a value of its own, and one of a kind's base, are refused as well", () => {
  class Initialised extends defineEntity(declaration) {
    override n = 9;
  }
  class Base extends defineEntity({ ...declaration, properties: { t: text() } }) {}
  class Kind extends defineKind(Base, { kind: "K", properties: { n: int32() } }) {
    override t = "always";
  }

  expect(() => modelOf(Initialised)).toThrow(/Initialised\.n/);
  expect(() => modelOf(Kind)).toThrow(/Kind\.t/);
});

test("a constructor of its own that assigns is no field", () => {
  class Filling extends defineEntity(declaration) {
    constructor(values?: { p: string; r: string; t?: string }) {
      super(values);
      this.t ??= "initial";
    }
  }

  expect(new Filling({ p: "p", r: "r" }).t).toBe("initial");
  expect(modelOf(Filling).name).toBe("Filling");
});

test("fields that the class only declares, and those that are not stored, are fine", () => {
  class Sound extends defineEntity({ ...declaration, notStored: ["cache"] }) {
    declare t?: string;
    cache = new Map<string, string>();
    #private = 1;

    get doubled(): number {
      return this.n * 2 * this.#private;
    }
  }
  const sound = new Sound({ p: "p", r: "r", t: "hello", n: 9 });

  expect(modelOf(Sound).name).toBe("Sound");
  expect([sound.t, sound.doubled]).toEqual(["hello", 18]);
});
