import { isUint8Array, timeOf } from "../errors/built-ins.ts";
import { decodeBase64, latin1Of } from "../edm/base64.ts";
import { binarySerializer, maxBinaryBytes } from "../edm/binary.ts";
import { binaryInPlaceSerializer, BytesInPlace, sentInPlace } from "../edm/binary-in-place.ts";
import { booleanSerializer } from "../edm/boolean.ts";
import { dateTimeSerializer, isDateTimeMs } from "../edm/date-time.ts";
import { millisecondsOf } from "../edm/date-time-text.ts";
import { doubleSerializer } from "../edm/double.ts";
import { guidSerializer, isCanonicalGuid } from "../edm/guid.ts";
import { isInMs, isSameTime, keepDate } from "../edm/kept-date.ts";
import { int32Serializer } from "../edm/int32.ts";
import { int64Serializer, maxInt64, minInt64, shortInt64 } from "../edm/int64.ts";
import type { AnySerializer } from "../edm/serializer.ts";
import { maxStringLength, stringSerializer } from "../edm/string.ts";
import { putBase64, putBoolean, putDateTime, putInt64, putNumber, putText } from "./json-bytes.ts";

/**
 * What is written out for the values that a serializer meets all the time, as expressions of JavaScript. Whatever is of
 * another form is left to the serializer itself, which converts it or throws its typed error: so a short path has to be
 * right only about what it accepts.
 */
export interface ShortPath {
  /** Reading the stored value `v` with the annotation `a`. */
  readonly read: {
    /** Whether it is of the usual form. It may leave what it found in `t`. */
    readonly test: string;
    readonly value: string;
    /** What a snapshot keeps; that of `value` where it is the same. */
    readonly kept?: string;
    /** Members of the row: the value, and its annotation where it has one. */
    readonly members: 1 | 2;
  };
  /** Encoding the value `v` of an entity. */
  readonly write: {
    readonly test: string;
    /** The snapshot value. */
    readonly kept: string;
    /** The same of an entity that is sent whole, where it is another one; `path` is the name of the property's path. */
    readonly sent?: (path: string) => string;
    /** Its size without its name, as the service counts it. */
    readonly bytes: string;
  };
  /** Whether the value `v` of an entity is what the snapshot value `x` says: it may deny it of values that are. */
  readonly same?: string;
  /** Writing the snapshot value `v` as JSON into `o`. */
  readonly print: {
    readonly test: string;
    /** Whether its type is written before it. */
    readonly isTyped: "true" | "false" | (string & {});
    /** Whether its JSON is text: the quote before it is written with its name. */
    readonly isText: boolean;
    readonly put: string;
  };
}

/** What the expressions name. */
export const shortPathHelpers: Readonly<Record<string, unknown>> = {
  BytesInPlace,
  decodeBase64,
  isCanonicalGuid,
  isDateTimeMs,
  isInMs,
  isSameTime,
  isUint8Array,
  keepDate,
  latin1Of,
  millisecondsOf,
  putBase64,
  putBoolean,
  putDateTime,
  putInt64,
  putNumber,
  putText,
  sentInPlace,
  shortInt64,
  timeOf,
};

/** Minus zero is left to the serializer. */
const isInt32 = `typeof v === "number" && (v | 0) === v && (v !== 0 || 1 / v > 0)`;

const plain = (test: string): ShortPath["read"] => ({
  test: `${test} && a === undefined`,
  value: "v",
  members: 1,
});

const printed = (test: string, put: string, form: "plain" | "text" | "typed text"): ShortPath["print"] => ({
  test,
  isTyped: form === "typed text" ? "true" : "false",
  isText: form !== "plain",
  put: `${put}(o, v)`,
});

const binaryPath: ShortPath = {
  read: {
    test: `a === "Edm.Binary" && typeof v === "string" && (t = decodeBase64(v)) !== undefined`,
    value: "t",
    kept: "atob(v)",
    members: 2,
  },
  write: {
    test: `isUint8Array(v) && v.byteLength <= ${maxBinaryBytes}`,
    kept: "latin1Of(v)",
    bytes: "v.byteLength + 4",
  },
  print: printed(`typeof v === "string"`, "putBase64", "typed text"),
};

const binaryInPlacePath: ShortPath = {
  ...binaryPath,
  write: { ...binaryPath.write, sent: (path) => `sentInPlace(v, ${path})` },
  print: printed(`typeof v === "string" || BytesInPlace.is(v)`, "putBase64", "typed text"),
};

/** By serializer: one that is made of another one, as by `alsoReads`, has none. */
export const shortPaths: ReadonlyMap<AnySerializer, ShortPath> = new Map<AnySerializer, ShortPath>([
  [
    stringSerializer,
    {
      read: plain(`typeof v === "string"`),
      write: {
        test: `typeof v === "string" && v.length <= ${maxStringLength} && v.isWellFormed()`,
        kept: "v",
        bytes: "2 * v.length + 4",
      },
      print: printed(`typeof v === "string"`, "putText", "text"),
    },
  ],
  [
    booleanSerializer,
    {
      read: plain(`typeof v === "boolean"`),
      write: { test: `typeof v === "boolean"`, kept: "v", bytes: "1" },
      print: printed(`typeof v === "boolean"`, "putBoolean", "plain"),
    },
  ],
  [
    int32Serializer,
    {
      read: plain(isInt32),
      write: {
        test: isInt32,
        kept: "v",
        bytes: "4",
      },
      print: printed(`typeof v === "number"`, "putNumber", "plain"),
    },
  ],
  [
    doubleSerializer,
    {
      // A whole number is a Double only by its annotation, and a small one prints with an exponent.
      read: plain(`typeof v === "number" && v - v === 0 && !Number.isInteger(v)`),
      write: {
        test: `typeof v === "number" && v - v === 0 && !Number.isInteger(v) && (v >= 1e-6 || v <= -1e-6)`,
        kept: "v",
        bytes: "8",
      },
      print: {
        ...printed(`typeof v === "number" && v - v === 0 && (v !== 0 || 1 / v > 0)`, "putNumber", "plain"),
        isTyped: "Number.isInteger(v) || (v < 1e-6 && v > -1e-6)",
      },
    },
  ],
  [
    int64Serializer,
    {
      read: {
        test: `a === "Edm.Int64" && typeof v === "string" && (t = shortInt64(v)) !== undefined`,
        value: "t",
        members: 2,
      },
      write: {
        test: `typeof v === "bigint" && v >= ${minInt64}n && v <= ${maxInt64}n`,
        kept: "v",
        bytes: "8",
      },
      print: printed(`typeof v === "bigint"`, "putInt64", "typed text"),
    },
  ],
  [
    dateTimeSerializer,
    {
      read: {
        test: `a === "Edm.DateTime" && typeof v === "string" && (t = millisecondsOf(v)) === t`,
        value: "new Date(t)",
        kept: "keepDate(v, t)",
        members: 2,
      },
      write: {
        test: "isDateTimeMs((t = timeOf(v)))",
        kept: "t",
        bytes: "8",
      },
      same: `typeof x === "number" && isSameTime(x, v)`,
      print: printed(`typeof v === "number" && isInMs(v)`, "putDateTime", "typed text"),
    },
  ],
  [
    guidSerializer,
    {
      read: {
        test: `a === "Edm.Guid" && typeof v === "string" && isCanonicalGuid(v)`,
        value: "v",
        members: 2,
      },
      write: {
        test: `typeof v === "string" && isCanonicalGuid(v)`,
        kept: "v",
        bytes: "16",
      },
      // An entity may hold one in capitals.
      print: {
        ...printed(`typeof v === "string"`, "putText", "typed text"),
        put: "putText(o, v.toLowerCase())",
      },
    },
  ],
  [binarySerializer, binaryPath],
  [binaryInPlaceSerializer, binaryInPlacePath],
]);
