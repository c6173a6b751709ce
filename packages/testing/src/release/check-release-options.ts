import { OptionError, type TableStorage } from "@partita/core";
import type { EntityClass } from "@partita/core/models";
import {
  abortSignal,
  aFunction,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import type { SimulatedStore } from "../simulation/simulate-options.ts";

/** Values for properties, as plain data: `{ Item: { price: ["12.50", "0.99"] } }`. */
export type ReleaseValues = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

/** Options for comparing two releases. */
export interface CheckReleaseOptions {
  /** Determines all values and orders: a whole number from 0; default 1. */
  readonly seed?: number | undefined;
  /** Number of actions in histories that are tried in every order: 1 or more; default 4. */
  readonly acts?: number | undefined;
  /** Number of random histories with interleaved requests of both releases: 0 or more; default 300. */
  readonly histories?: number | undefined;
  /**
   * Values for properties if their type is not precise enough, by class and property: text that contains a number, or
   * input of a converter. Both releases use them for classes with this name.
   */
  readonly values?: ReleaseValues | undefined;
  /** Opens an empty store, which is closed after use. Memory by default. */
  readonly storage?: ((store: SimulatedStore) => TableStorage | Promise<TableStorage>) | undefined;
  /** Stops the check after the present history. */
  readonly signal?: AbortSignal | undefined;
}

const code = "release.option";

const checkEach: CheckOptions = defineOptions<CheckReleaseOptions>(
  "checkRelease(old, new, options)",
  {
    seed: wholeNumber(0),
    acts: wholeNumber(1),
    histories: wholeNumber(0),
    values: {
      takes: 'lists of plain values by class and property: { Item: { price: ["12.50"] } }',
      accepts: (value) =>
        isObject(value) &&
        Object.values(value).every((each) => isObject(each) && Object.values(each).every(Array.isArray)),
    },
    storage: { ...aFunction, takes: "a function that opens an empty store: ({ clock }) => openStorage(…)" },
    signal: abortSignal,
  },
  code,
);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** @throws OptionError `release.option` */
export function checkReleaseOptions(
  older: readonly EntityClass[],
  newer: readonly EntityClass[],
  options: CheckReleaseOptions,
): void {
  const areClasses = [older, newer].every(
    (list) => Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === "function"),
  );
  if (!areClasses)
    throw new OptionError(
      code,
      "checkRelease(old, new) takes the entity classes of both releases: checkRelease([OldBlog], [Blog]).",
      { call: "checkRelease(old, new, options)", option: "classes" },
    );
  checkEach(options);
}
