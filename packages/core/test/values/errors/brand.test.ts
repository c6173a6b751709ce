import { describe, expect, test } from "vitest";
import {
  ConflictError,
  createTables,
  dateTime,
  defineEntity,
  KeyError,
  KindError,
  ModelError,
  odata,
  openStorage,
  OptionError,
  QueryError,
  SaveError,
  ScanRefused,
  SerializationError,
  StateError,
  StorageError,
  TableContext,
  TableError,
  type TableStorage,
  text,
  type Ticks,
  UpgradeError,
  ValidationError,
} from "../../../src/index.ts";
import { modelOf } from "../../../src/models.ts";
import { forwardStorage, sendWith } from "../../../src/internal.ts";
import { PatternError } from "@partita/patterns";
import { TransferError } from "@partita/transfer";

const classes = {
  TableError,
  ConflictError,
  KeyError,
  KindError,
  ModelError,
  OptionError,
  PatternError,
  QueryError,
  ScanRefused,
  SaveError,
  SerializationError,
  StateError,
  StorageError,
  TransferError,
  UpgradeError,
  ValidationError,
} as const;

describe.each(Object.entries(classes))("%s", (name, ours) => {
  const symbol = Symbol.for(`partita.${name}@1`);
  const ofAnotherCopy: unknown = Object.create({ [symbol]: true });

  test("has its name, whatever a bundler calls it", () => {
    expect(ours.name).toBe(name);
  });

  test("recognises its instances of every copy", () => {
    const own: unknown = Object.create(ours.prototype as object);

    for (const error of [own, ofAnotherCopy]) {
      expect(ours.is(error)).toBe(true);
      expect(error instanceof ours).toBe(true);
    }
  });

  test("recognises nothing else", () => {
    const others: readonly unknown[] = [
      undefined,
      null,
      "text",
      5,
      {},
      new Error("m"),
      ours.prototype.constructor,
    ];

    for (const other of others) {
      expect(ours.is(other)).toBe(false);
      expect(other instanceof ours).toBe(false);
    }
  });

  test("does not take a subclass of the user for itself, nor itself for the subclass", () => {
    class Own extends (ours as typeof StorageError) {}
    const error: unknown = Object.create(Own.prototype);

    expect([Own.is(error), error instanceof Own]).toEqual([true, true]);
    expect(ours.is(error)).toBe(true);
    expect([Own.is(ofAnotherCopy), ofAnotherCopy instanceof Own]).toEqual([false, false]);
    expect(Own.name).toBe("Own");
  });
});

test("the name of an error is that of its class, also of a class of the user", () => {
  class TooBusy extends StorageError {}

  expect(StorageError.ofService("ServerBusy").name).toBe("StorageError");
  expect(new TooBusy("storage.busy", "Busy.", { applied: "no" }).name).toBe("TooBusy");
});

describe("an object of a copy whose contract differs", () => {
  const copy = { value: { contract: 0, url: "file:///app/bundled-library.js" } };
  const mark = <Value extends object>(value: Value): Value =>
    Object.defineProperty(value, Symbol.for("partita.copy"), copy);
  const isNamed = {
    code: "package.second-copy",
    message: expect.stringMatching(
      /^The \S.* cannot be used here\. It was made by another copy of @partita\/core \(file:\/\/\/app\/bundled-library\.js\) than the one .*file:\/\/\/\S+brand\.ts\), and their versions are not compatible\. Install one version for both\./,
    ) as string,
  };
  class Note extends defineEntity({
    table: "Notes",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: { at: dateTime({ ticks: true }).optional() },
  }) {}

  test("is named where a storage is used", async () => {
    await using storage = await openStorage("memory:");
    const foreign = mark({ ...forwardStorage(storage, {}) });

    expect(() => new TableContext(foreign)).toThrow(expect.objectContaining(isNamed));
    expect(() => forwardStorage(foreign, {})).toThrow(expect.objectContaining(isNamed));
    await expect(createTables(foreign, [Note])).rejects.toMatchObject(isNamed);
  });

  test("is named where a class is used, or one that it extends", () => {
    class Plain {}
    class Below extends (mark(class extends Note {}) as typeof Note) {}

    for (const each of [mark(Plain), mark(class extends Note {}), Below])
      expect(() => modelOf(each)).toThrow(expect.objectContaining(isNamed));
  });

  test("is named where a filter or a context is used", async () => {
    await using storage = await openStorage("memory:");
    const query = new TableContext(storage).query(Note);
    const filter = mark(odata`id eq ${"a"}`);

    expect(() => query.filter(filter)).toThrow(expect.objectContaining(isNamed));
    expect(() => sendWith(mark(Object.create(null) as TableContext), {}, {} as never)).toThrow(
      expect.objectContaining(isNamed),
    );
  });

  test("is named where a value is stored", async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Note]);
    const context = new TableContext(storage);
    const at = mark(Object.create(null) as Ticks);
    context.create(Note, { book: "b", id: "a", at });

    await expect(context.saveChanges()).rejects.toMatchObject({
      message: expect.stringContaining(
        "another copy of @partita/core (file:///app/bundled-library.js)",
      ) as string,
    });
  });

  test("is named as the reason of an outcome that is not known, where a storage in between hid it", async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Note]);
    const fails = (): Promise<never> => Promise.reject(mark(new Error("Refused.")));
    const wrapping: TableStorage = { ...forwardStorage(storage, {}), write: fails, transact: fails };
    const context = new TableContext(wrapping);
    context.create(Note, { book: "b", id: "a" });

    const error: unknown = await context.saveChanges().catch((caught: unknown) => caught);

    const [result] = (error as SaveError).results;
    expect(result?.outcome).toBe("unknown");
    expect(result?.error).toMatchObject({
      code: "package.second-copy",
      message: expect.stringContaining("file:///app/bundled-library.js") as string,
    });
  });

  test("is no error of this copy", () => {
    const error = mark(Object.create({ [Symbol.for("partita.StorageError@0")]: true }) as object);

    expect(StorageError.is(error)).toBe(false);
    expect(error instanceof StorageError).toBe(false);
  });
});
