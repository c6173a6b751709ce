import type { ModelError } from "../../values/errors/model-error.ts";

/** Refuses values that JSON does not preserve, and names the member: dates, classes with methods, maps, bigints. */
export type Jsonable<Value> = [JsonProblem<Value, "it", []>] extends [never]
  ? unknown
  : JsonProblem<Value, "it", []>;

type JsonProblem<Value, Path extends string, Depth extends readonly unknown[]> = unknown extends Value
  ? never
  : Depth["length"] extends 6
    ? never
    : Value extends string | number | boolean | null | undefined
      ? never
      : Value extends readonly (infer Item)[]
        ? JsonProblem<Item, `${Path}[]`, [...Depth, 0]>
        : Value extends
              | Date
              | bigint
              | symbol
              | ReadonlyMap<unknown, unknown>
              | ReadonlySet<unknown>
              | ((...args: never[]) => unknown)
          ? ModelError<`JSON does not keep ${Path}: it is ${KindOf<Value>}`>
          : {
              [Name in keyof Value & string]: JsonProblem<
                Value[Name],
                Path extends "it" ? Name : `${Path}.${Name}`,
                [...Depth, 0]
              >;
            }[keyof Value & string];

type KindOf<Value> = Value extends Date
  ? "a Date, which is read back as text"
  : Value extends bigint
    ? "a bigint"
    : Value extends symbol
      ? "a symbol"
      : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
        ? "a Map or a Set"
        : "a method, which is lost";
