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

/** Values that properties have, as plain data: `{ Item: { price: ["12.50", "0.99"] } }`. */
export type ReleaseValues = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

/** How two releases are compared. */
export interface CheckReleaseOptions {
  /** Decides all values and orders; default 1. */
  readonly seed?: number | undefined;
  /** Acts of the histories in which every order is tried; default 4. */
  readonly acts?: number | undefined;
  /** Random histories in which the requests of both releases mix; default 300. */
  readonly histories?: number | undefined;
  /**
   * Values of properties whose type says too little, by class and property: text that holds a number, or what a converter
   * takes. Both releases use them for classes of this name.
   */
  readonly values?: ReleaseValues | undefined;
  /** Opens an empty store; it is closed after use. Memory by default. */
  readonly storage?: ((store: SimulatedStore) => TableStorage | Promise<TableStorage>) | undefined;
  /** Ends the check after the present history. */
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
