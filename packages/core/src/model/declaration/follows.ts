import type { ModelError } from "../../values/errors/model-error.ts";
import type { ShapeValues, TypeValue } from "../upgrade/step.ts";
import type { Upgrades } from "../upgrade/upgrades.ts";

/** A property's stored name, if it differs from its own. */
type StoredName<Key, Type> = Type extends { readonly storedName: infer Name extends string } ? Name : Key;

/** The stored values of a class, by stored names. */
type StoredValues<Properties> = [EmbeddedNames<Properties>] extends [never]
  ? StoredByName<Properties>
  : StoredByName<Omit<Properties, EmbeddedNames<Properties>>> &
      Both<{
        [Key in EmbeddedNames<Properties>]: StoredLeaves<StoredName<Key, Properties[Key]>, Properties[Key]>;
      }>;
type StoredByName<Properties> = {
  -readonly [Key in keyof Properties as StoredName<Key, Properties[Key]> & PropertyKey]: TypeValue<
    Properties[Key]
  >;
};
type EmbeddedNames<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly leaves: unknown } ? Key : never;
}[keyof Properties];

/** The leaves of an embedded object, under its name and theirs; the leaves of an optional object may be absent. */
type StoredLeaves<Name, Type> = Type extends {
  readonly leaves: infer Leaves;
  readonly presence: infer Presence;
}
  ? StoredValues<{
      [
        Leaf in keyof Leaves as Leaves[Leaf] extends { readonly storedName: infer Own extends string }
          ? Own
          : `${Name & string}_${Leaf & string}`
      ]: Presence extends "optional"
        ? Omit<Leaves[Leaf], "presence"> & { readonly presence: "optional" }
        : Leaves[Leaf];
    }>
  : never;
type Both<Maps> = { [Key in keyof Maps]: (map: Maps[Key]) => void }[keyof Maps] extends (
  map: infer All,
) => void
  ? All
  : never;

type Show<T> = { [K in keyof T]: T[K] } & {};

type Follows<Stored, SnapshotValue> =
  Exclude<keyof Stored, keyof SnapshotValue> extends never
    ? Exclude<keyof SnapshotValue, keyof Stored> extends never
      ? Show<SnapshotValue> extends Show<Stored>
        ? Show<Stored> extends Show<SnapshotValue>
          ? unknown
          : ModelError<"the upgrades lead to other types than the class declares">
        : ModelError<"the upgrades lead to other types than the class declares">
      : ModelError<`the upgrades keep "${Exclude<keyof SnapshotValue, keyof Stored> & string}", which the class does not declare`>
    : ModelError<`the class declares "${Exclude<keyof Stored, keyof SnapshotValue> & string}", which no upgrade step adds`>;

/** Resolves to `unknown` if a class declares the result of its upgrades, otherwise to a type that shows a sentence. */
export type Following<Declaration, Inherited> = Declaration extends {
  readonly version: Upgrades<infer Shape, infer _Version extends number>;
}
  ? Follows<StoredValues<Inherited & PropertiesOf<Declaration>>, ShapeValues<Shape>> extends infer Result
    ? unknown extends Result
      ? unknown
      : { readonly version: Result }
    : never
  : unknown;

type PropertiesOf<Declaration> = Declaration extends { readonly properties: infer Properties }
  ? Properties
  : unknown;
