import type { ModelError } from "../../values/errors/model-error.ts";
import type { EntityShape, KeyPartType, Unchecked, ValueOf } from "./entity-shape.ts";

// TypeScript reports a missing member at the whole declaration, whose type fills the line. Here the sentence is at a
// member that is there, where the line is short.

/** What to write for each member that is needed. */
interface Remedies {
  readonly table: 'table is missing: write table: "Blogs"';
  readonly partitionKey: "partitionKey is missing: write partitionKey: { channel: text() }";
  readonly rowKey: "rowKey is missing: write rowKey: { id: text() }";
  readonly properties: "properties is missing: write properties: {} if there are none";
  readonly kind: 'kind is missing: write kind: "Photo"';
}

type Needed<Known> = Known extends { readonly table: string }
  ? Exclude<keyof Remedies, "kind">
  : keyof Remedies & "kind";

/**
 * The members that a declaration lacks, and its key parts that have no key format. As every check, it finds nothing wrong with
 * the constraint of the type parameter: TypeScript would take its sentences for what the declaration's functions are given.
 */
export type Unfinished<Given, Known> = Given extends Known
  ? never
  : Given extends Unchecked<EntityShape>
    ? Lacking<Given, Known> | NoKeyParts<Given["partitionKey"]> | NoKeyParts<Given["rowKey"]>
    : never;

/** The members that a declaration needs and does not have. */
export type Lacking<Given, Known> = Exclude<Needed<Known>, keyof Given>;

/** Refuses an incomplete declaration at its table if it has one, else at each member. */
export type Incomplete<Given, Known, Missing extends keyof Remedies> = [Missing] extends [never]
  ? unknown
  : {
      readonly [Name in "table" extends keyof Given ? "table" : keyof Given]: AtMembers<
        Given[Name & keyof Given],
        ModelError<Remedies[Missing]>
      >;
    } & Pick<Known, Missing & keyof Known>;

type AtMembers<Member, Problem> =
  Member extends Readonly<Record<string, unknown>> ? { readonly [Name in keyof Member]: Problem } : Problem;

/** The parts of a key that have no key format. */
export type NoKeyParts<Parts> = string extends keyof Parts
  ? never
  : { [Name in keyof Parts]: Parts[Name] extends KeyPartType ? never : Name }[keyof Parts] & string;

/** The remedy at each of these parts. */
export type KeyAdvice<Parts, Names extends string> = {
  readonly [Name in Names]: ModelError<Advice<Parts[Name & keyof Parts], Name>>;
};

type Advice<Part, Name extends string> = Part extends (...args: never[]) => unknown
  ? `${Name} is a function: call it, as in padded(10), text() or guid()`
  : Part extends { readonly serializer: unknown }
    ? `this type has no key format: write ${FormatFor<ValueOf<Part>>}`
    : "this is no key format: write text(), newestFirst or padded(10)";

type FormatFor<Value> = [Value] extends [string]
  ? "text(), and check the value before it is assigned"
  : [Value] extends [number]
    ? "padded(10), or padded(10, { signed: true })"
    : [Value] extends [bigint]
      ? "padded64(19)"
      : [Value] extends [Date]
        ? "newestFirst, oldestFirst, or day for the day of it"
        : "text(), and convert the value to text";
