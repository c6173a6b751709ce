import { great, type Mistake, works } from "../mistake.ts";

const thing = (changes: string): string =>
  `class Thing extends defineEntity({ table: "Things", partitionKey: { a: text() }, rowKey: { b: text() }, properties: {}, ${changes} }) {}`;
const use = (changes: string): string => `${thing(changes)}\nmodelOf(Thing);`;

/** Mistakes in the declaration of a class. */
export const declaring: readonly Mistake[] = [
  great(
    "the table's name has a hyphen",
    use(`table: "my-things"`),
    "model.table-name",
    /"my-things".*3 to 63 letters and digits/,
  ),
  great(
    "there is no RowKey",
    `defineEntity({ table: "Things", partitionKey: { a: text() }, properties: {} });`,
    "model.declaration",
    /without rowKey\. Write rowKey:/,
  ),
  great(
    "a key is the name of a property",
    use(`partitionKey: "a"`),
    "model.declaration",
    /Write partitionKey: \{ channel: text\(\) \}/,
  ),
  great(
    "a type is not called",
    use(`properties: { title: text }`),
    "model.property-type",
    /with parentheses: text\(\)/,
  ),
  great(
    "a text has a length, as in Drizzle",
    use(`properties: { title: text(100) }`),
    "model.property-type",
    /text\(\) takes no arguments.*a schema or a validator/,
  ),
  great(
    "a type has options, as in TypeORM",
    use(`properties: { rating: int32({ default: 5 }) }`),
    "model.property-type",
    /int32\(\) takes no arguments. Add settings with methods/,
  ),
  great(
    "a date has a precision, as in Prisma",
    use(`properties: { at: dateTime({ precision: 3 }) }`),
    "model.option",
    /dateTime\(options\) has no option "precision"\. It takes: ticks/,
  ),
  great(
    "bytes have a length",
    use(`properties: { picture: binary(100) }`),
    "model.option",
    /binary\(options\) takes its options as an object\. It takes: inPlace/,
  ),
  great(
    "a type is String, as in Mongoose",
    use(`properties: { title: String }`),
    "model.property-type",
    /function String.*text\(\)/,
  ),
  great(
    "a type is an object, as in TypeORM",
    use(`properties: { title: { type: "string", nullable: true } }`),
    "model.property-type",
    /not a property type.*text\(\)/,
  ),
  great(
    "a number is a key without a format",
    use(`rowKey: { no: int32() }`),
    "model.key-format",
    /Write padded\(10\)/,
  ),
  great(
    "a date is a key without a format",
    use(`rowKey: { at: dateTime() }`),
    "model.key-format",
    /newestFirst or oldestFirst/,
  ),
  great(
    "a key is declared as a property, too",
    use(`properties: { a: text() }`),
    "model.property-twice",
    /Thing\.a is declared twice/,
  ),
  great(
    "a property has a hyphen",
    use(`properties: { "first-name": text() }`),
    "model.property-name",
    /"first-name".*another stored name/,
  ),
  great(
    "a default is the time of the program's start",
    use(`properties: { at: dateTime().default(new Date()) }`),
    "model.default",
    /time of its declaration.*default\(\(\) => new Date\(\)\), or createdAt\(\)/,
  ),
  works(
    "a default is an array, which instances do not share",
    `${thing(`properties: { tags: json().default([]) }`)}
const [one, other] = [new Thing({ a: "1", b: "1" }), new Thing({ a: "1", b: "2" })];
if (one.tags === other.tags) throw new Error("shared");`,
  ),
  great(
    "a default has another type",
    use(`properties: { count: int32().default("0") }`),
    "model.default",
    /Thing\.count.*Int32 does not accept/,
  ),
  great(
    "a field of the class hides a property",
    `class Thing extends defineEntity({ table: "Things", partitionKey: { a: text() }, rowKey: { b: text() }, properties: { title: text() } }) {
  title = "";
}
context.create(Thing, { a: "1", b: "2", title: "x" });`,
    "model.field-overwrites",
    /Put "declare" in front/,
  ),
  great(
    "a class is not an entity",
    `class Thing {}\ncontext.query(Thing);`,
    "model.not-an-entity",
    /Declare it with defineEntity or with @Table/,
  ),
  great(
    "children are a class instead of a function",
    `${thing(`kind: "Thing", children: { lines: Line }`)}
await context.query(Thing).where({ a: "1" }).include((each) => each.lines).toArray();`,
    "model.children",
    /\(\) => Line\. It is called on first use/,
  ),
  great(
    "a circular import leaves the children undefined",
    `${thing(`kind: "Thing", children: { lines: () => undefined }`)}
await context.query(Thing).where({ a: "1" }).include((each) => each.lines).toArray();`,
    "model.not-an-entity",
    /two files may import each other/,
  ),
  great(
    "a circular import leaves the base undefined",
    `class Photo extends defineKind(undefined, { kind: "Photo" }) {}\nmodelOf(Photo);`,
    "model.not-an-entity",
    /two files may import each other: put the base into a third file/,
  ),
  great(
    "an enum is TypeScript's",
    use(`properties: { state: enumOf({ Open: "open" }) }`),
    "model.property-type",
    /Object\.values\(State\)/,
  ),
  great(
    "two classes of one table have no kind",
    `class One extends defineEntity({ table: "Things", partitionKey: { a: text() }, rowKey: { b: text() }, properties: {} }) {}
class Two extends defineEntity({ table: "Things", partitionKey: { a: text() }, rowKey: { b: text() }, properties: {} }) {}
await createTables(storage, [One, Two]);`,
    "model.no-kind",
    /One and Two share the table Things.*Give each a kind/,
  ),
];
