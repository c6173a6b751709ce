import type { SaveError, TableContext, TableError } from "@partita/core";
import { describe, expect, test } from "vitest";
import { cases, judging } from "./libraries.ts";
import {
  Address,
  contextWith,
  key,
  Member,
  newMember,
  seededStorage,
  stored,
  storedIn,
  valuesOf,
} from "./member.ts";

const failureOf = async (context: TableContext): Promise<SaveError> =>
  context.saveChanges().then(
    () => expect.unreachable("expected a rejection"),
    (error: SaveError) => error,
  );

async function loaded(context: TableContext): Promise<Member> {
  const member = (await context.find(Member, key)) as Member;
  // JSON is read as plain objects, which class-validator has no rules for.
  member.address = Object.assign(new Address(), member.address);
  return member;
}

async function projected(context: TableContext): Promise<Member> {
  const [member] = await context.query(Member).where(key).select("note").toArray();
  return member as Member;
}

/** What is stored of `stored` with these values in place of its own; undefined: none. */
const storedWith = (values: object): object =>
  Object.fromEntries(Object.entries({ ...stored, ...values }).filter(([, value]) => value !== undefined));

describe.each(cases)("$library, $option", ({ validator, inPlace, made }) => {
  test("judges, and stores what the program assigned", async () => {
    const storage = await seededStorage();
    const context = contextWith(storage, validator());
    const member = await loaded(context);
    member.note = "new";

    const refusal = await context.saveChanges().then(
      () => undefined,
      (error: SaveError) => error.results[0]?.error,
    );

    const { code, message, details } = (refusal ?? {}) as Partial<TableError>;
    const changed = details?.["properties"] as string[] | undefined;
    expect(code).toBe(inPlace && "validator.changed-entity");
    expect(changed?.toSorted()).toEqual(inPlace?.toSorted());
    expect(message ?? "").toMatch(inPlace ? /Member in Members .*applyTransforms: true/ : /^$/);
    expect(valuesOf(member)).toEqual({ ...stored, note: "new" });
    expect(await storedIn(storage)).toEqual(storedWith(inPlace === undefined ? { note: "new" } : {}));
  });

  test("judges a new entity", async () => {
    const storage = await seededStorage();
    const context = contextWith(storage, validator());
    const member = context.add(Object.assign(newMember(), { id: "2" }));

    await context.saveChanges().catch(() => undefined);

    expect(valuesOf(member)).toEqual(stored);
    const row = await storage.get("Members", { partitionKey: "t", rowKey: "2" });
    expect(row === undefined).toBe(inPlace !== undefined);
  });

  test("stores what it makes of values with applyTransforms", async () => {
    const storage = await seededStorage();
    const context = contextWith(storage, validator({ applyTransforms: true }));
    const member = await loaded(context);
    member.note = "new";

    await context.saveChanges();

    expect(await storedIn(storage)).toEqual(storedWith({ note: "new", ...made }));
    expect(valuesOf(member)).toEqual(storedWith({ note: "new", ...made }));
    expect(context.pendingChanges()).toEqual([]);
  });

  test.each([{}, { applyTransforms: true }])(
    "leaves alone what a query did not select: %j",
    async (options) => {
      const storage = await seededStorage();
      const context = contextWith(storage, validator(options));
      const member = await projected(context);
      member.note = "new";

      await context.saveChanges();

      expect(await storedIn(storage)).toEqual(storedWith({ note: "new" }));
    },
  );

  test.each([{}, { applyTransforms: true }])(
    "leaves alone what attach() was not given: %j",
    async (options) => {
      const storage = await seededStorage();
      const context = contextWith(storage, validator(options));
      const member = context.attach(Object.assign(new Member(), key), "*");
      member.note = "new";

      await context.saveChanges();

      expect(await storedIn(storage)).toEqual(storedWith({ note: "new" }));
    },
  );
});

describe.each(judging)("$library, $option", ({ validator, inPlace }) => {
  test("refuses a value that was loaded, and says what was not", async () => {
    const storage = await seededStorage();
    const context = contextWith(storage, validator());
    const member = await projected(context);
    member.note = "x";

    const error = await failureOf(context);

    expect(error.code).toBe("save.invalid");
    expect(error.violations).toMatchObject([{ property: "note" }]);
    expect(error.message).toMatch(/Validated without .*name.* not loaded\./);
    expect(await storedIn(storage)).toEqual(stored);
  });

  test("refuses nested values, and what a loaded entity does not have", async () => {
    const storage = await seededStorage();
    const context = contextWith(storage, validator({ applyTransforms: inPlace !== undefined }));
    const member = await loaded(context);
    member.note = "x";
    Object.assign(member.address as object, { city: "Q" });

    const error = await failureOf(context);

    expect(error.violations.map(({ property }) => property).toSorted()).toEqual(["address.city", "note"]);
    expect(await storedIn(storage)).toEqual(stored);
  });
});
