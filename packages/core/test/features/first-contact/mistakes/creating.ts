import { great, type Mistake, works } from "../mistake.ts";

const create = (changes: string): string =>
  `context.create(Blog, { ...values, ${changes} });\nawait context.saveChanges();`;

/** Mistakes in the values of new entities. */
export const creating: readonly Mistake[] = [
  great(
    "a required property is missing",
    create(`title: undefined`),
    "save.invalid",
    /Blog\.title is required/,
  ),
  great(
    "a property is misspelt",
    create(`title: undefined, titel: "x"`),
    "save.invalid",
    /has titel.*Did you mean title\?/,
  ),
  great(
    "a part of the key is undefined",
    create(`channel: undefined`),
    "key.missing-part",
    /Blog\.channel.*missing/,
  ),
  great("a key has a slash", create(`channel: "a/b"`), "key.forbidden-character", /character \/.*escaped/),
  great("a text key is a number", create(`channel: 5`), "key.invalid-part", /padded\(10\), or assign text/),
  great(
    "a date key is a text",
    create(`postedOn: "2026-01-01"`),
    "key.invalid-part",
    /Assign new Date\(text\)/,
  ),
  great(
    "a date key is invalid",
    create(`postedOn: new Date("tomorrow")`),
    "key.invalid-part",
    /holds an invalid Date.*takes a valid Date/,
  ),
  great(
    "a date is a text",
    create(`editedOn: "2026-01-01"`),
    "save.invalid",
    /must be a Date, but it holds a string/,
  ),
  great(
    "an Int32 is NaN",
    create(`rating: Number("x")`),
    "save.invalid",
    /Blog\.rating is out of range: it takes whole numbers/,
  ),
  great(
    "an Int32 is a text",
    create(`rating: "5"`),
    "save.invalid",
    /must be a number, but it holds a string/,
  ),
  great(
    "an Int64 is a number",
    create(`views: 5`),
    "save.invalid",
    /must be a bigint, but it holds a number/,
  ),
  great("a text is an object", create(`title: { en: "x" }`), "save.invalid", /must be a string/),
  works("null stands for no value", create(`note: null`)),
  great(
    "a text is too long",
    create(`title: "x".repeat(40_000)`),
    "save.invalid",
    /40000.*at most 32768.*split it/,
  ),
  great(
    "JSON has a Date",
    create(`tags: [new Date()]`),
    "save.invalid",
    /Blog\.tags\[0\].*JSON has no Date\. Store it/,
  ),
  great("JSON has a bigint", create(`tags: [5n]`), "save.invalid", /Blog\.tags\[0\].*no bigints/),
  great(
    "a request's body has a property that the class does not declare",
    create(`isAdmin: true`),
    "save.invalid",
    /has isAdmin, which Blog does not declare/,
  ),
  great(
    "a request's body has a constructor",
    create(`...JSON.parse('{"constructor": 1}')`),
    "save.invalid",
    /has constructor, which Blog does not declare/,
  ),
  great(
    "a request's body has a __proto__",
    create(`...JSON.parse('{"__proto__": {"rating": 5}}')`),
    "save.invalid",
    /has __proto__, which Blog does not declare/,
  ),
  great(
    "add() gets a plain object",
    `context.add(values);`,
    "model.not-an-entity",
    /object without a class\. Call create\(Class, values\)/,
  ),
  great(
    "a copy of an entity is added",
    `const blog = await context.find(Blog, key);\ncontext.add({ ...blog, postedOn: new Date(5) });`,
    "model.not-an-entity",
    /object without a class\. Call create\(Class, values\)/,
  ),
  great(
    "the same key is created twice",
    `context.create(Blog, values);\ncontext.create(Blog, values);`,
    "entity.duplicate-key",
    /already tracked by another instance\. Change that one/,
  ),
  great(
    "two kinds get the same key",
    `context.create(Login, { tenant: "t", id: "1" });\ncontext.create(Logout, { tenant: "t", id: "1" });`,
    "entity.duplicate-key",
    /Logout in Log.*key of a Login.*Give it another key/,
  ),
  great(
    "the key is stored already",
    `context.create(Blog, { ...key, title: "x" });\nawait context.saveChanges();`,
    "save.failed",
    /stored already\. Call resolveConflict/,
  ),
];
