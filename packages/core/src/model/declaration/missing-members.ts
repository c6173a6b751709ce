import type { ModelError } from "../../values/errors/model-error.ts";
import type { EntityShape, KeyPartType, Unchecked, ValueOf } from "./entity-shape.ts";

// TypeScript reports a missing member for the complete declaration, and the declaration's type fills the line. These
// types report it at an existing member, where the line is short.

/** The remedy for each missing member. */
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
 * The members that a declaration lacks, and its key parts without a key format. Like every check, it accepts the
 * constraint of the type parameter: TypeScript would otherwise use the sentences as the parameter types of the
 * declaration's functions.
 */
export type Unfinished<Given, Known> = Given extends Known
  ? never
  : Given extends Unchecked<EntityShape>
    ? Lacking<Given, Known> | NoKeyParts<Given["partitionKey"]> | NoKeyParts<Given["rowKey"]>
    : never;

/** The required members that a declaration does not have. */
export type Lacking<Given, Known> = Exclude<Needed<Known>, keyof Given>;

/** Refuses an incomplete declaration at its table if it has one, otherwise at each member. */
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
