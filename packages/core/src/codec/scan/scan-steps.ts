import { binarySerializer } from "../../edm/binary.ts";
import { binaryInPlaceSerializer } from "../../edm/binary-in-place.ts";
import { booleanSerializer } from "../../edm/boolean.ts";
import { dateTimeSerializer } from "../../edm/date-time.ts";
import { doubleSerializer } from "../../edm/double.ts";
import { guidSerializer } from "../../edm/guid.ts";
import { int32Serializer } from "../../edm/int32.ts";
import { int64Serializer } from "../../edm/int64.ts";
import type { AnySerializer } from "../../edm/serializer.ts";
import { stringSerializer } from "../../edm/string.ts";

/**
 * How one value is read from bytes, as code. In it, `b` are the bytes, `v` a view of them, `p` the place of the value and
 * then the one behind it, `t` the bytes of the row's texts and `n` how many there are.
 */
export interface ScanStep {
  /** Whether the value stands in quotes; the code before has passed the first. */
  readonly isQuoted: boolean;
  /** Variables, with their first values. */
  readonly variables: readonly string[];
  /** Leaves the block `row` where the value is not of the usual form. */
  readonly code: string;
  readonly value: string;
  /** What a snapshot keeps, where it is not the value; in it, `@` is the value. */
  readonly kept?: string;
  /** More code that only snapshots need. */
  readonly keeping?: string;
}

const giveUp = "if ((p = cursor.at) < 0) break row;";

/** Bytes of a text that are copied one by one; longer ones are left to native code. */
const shortText = 200;

/**
 * Copies a text to those of its row, which become one string: its values are parts of that, and none keeps the page
 * alive. Texts that are unusual are strings of their own, `z`.
 */
export const textStep = (id: string): ScanStep => ({
  isQuoted: true,
  variables: [`f${id} = 0`, `l${id} = 0`, `z${id}`],
  code: [
    `f${id} = n; i = p; for (;;) { c = b[p++]; if (c === 34) break;`,
    `if (!(c >= 32 && c < 128) || c === 92 || p - i > ${shortText}) { z${id} = readText(b, i); n = f${id}; ${giveUp} break; }`,
    `t[n++] = c; } l${id} = n;`,
  ].join(" "),
  value: `(z${id} === undefined ? texts.substring(f${id}, l${id}) : z${id})`,
});

/** An ETag, in which quotes are escaped. */
export const etagStep = (id: string): ScanStep => ({
  ...textStep(id),
  code: [
    `f${id} = n; for (;;) { c = b[p++]; if (c === 34) break;`,
    "if (c === 92 && b[p] === 34) { c = 34; p++; } else if (!(c >= 32 && c < 128) || c === 92) break row;",
    `t[n++] = c; } l${id} = n;`,
  ].join(" "),
});

/** A PartitionKey: nearly always that of the row before, and then it is the same string. */
export const partitionKeyCode: string = [
  "i = 0; while (i < pkLength && b[p + i] === b[pkFrom + i]) i++;",
  "if (i === pkLength && b[p + i] === 34) p += i + 1;",
  `else { pkFrom = p; pk = readText(b, p); ${giveUp} pkLength = p - 1 - pkFrom; }`,
].join(" ");

/** A text that nobody needs. */
export const passedTextCode: string =
  "for (;;) { c = b[p++]; if (c === 34) break; if (!(c >= 32 && c < 128) || c === 92) break row; }";

/** An ETag that nobody needs. */
export const passedEtagCode: string =
  "for (;;) { c = b[p++]; if (c === 34) break; if (c === 92 && b[p] === 34) p++; else if (!(c >= 32 && c < 128) || c === 92) break row; }";

type StepOf = (id: string) => ScanStep;

const plainStep = (id: string, first: string, read: string): ScanStep => ({
  isQuoted: false,
  variables: [`x${id} = ${first}`],
  code: `x${id} = ${read}; ${giveUp}`,
  value: `x${id}`,
});

/** By serializer, for those that have a form of their own. */
const steps: ReadonlyMap<AnySerializer, StepOf> = new Map<AnySerializer, StepOf>([
  [booleanSerializer, (id) => plainStep(id, "false", "readBoolean(b, p)")],
  [int32Serializer, (id) => plainStep(id, "0", "readInt32(b, p)")],
  [doubleSerializer, (id) => plainStep(id, "0.5", "readDouble(b, p, isTold)")],
]);

/** The same for those that the service annotates, by the annotation they must have. */
const quotedSteps: ReadonlyMap<AnySerializer, StepOf> = new Map<AnySerializer, StepOf>([
  [int64Serializer, (id) => ({ ...plainStep(id, "undefined", "readInt64(b, p)"), isQuoted: true })],
  [
    dateTimeSerializer,
    (id) => ({
      isQuoted: true,
      variables: [`x${id} = 0.5`, `k${id} = 0.5`, `f${id} = -1`, `l${id} = 0`],
      code: `i = p; x${id} = readDate(b, v, p); ${giveUp}`,
      // In every digit, as text where no number has all of them.
      keeping: [
        ` k${id} = x${id}; c = cursor.ticks;`,
        `if (c !== 0 && !(c > 0 && (k${id} = keepTicks(x${id}, c)) === k${id})) { f${id} = n; while (i < p - 1) t[n++] = b[i++]; l${id} = n; }`,
      ].join(" "),
      value: `new Date(x${id})`,
      kept: `(f${id} < 0 ? k${id} : texts.substring(f${id}, l${id}))`,
    }),
  ],
  [
    guidSerializer,
    (id) => ({
      isQuoted: true,
      variables: [`f${id} = 0`],
      code: `f${id} = n; copyGuid(b, p, t, n); n += 36; ${giveUp}`,
      value: `texts.substring(f${id}, f${id} + 36)`,
    }),
  ],
  [binarySerializer, (id) => binaryStep(id, "readBinary")],
  [binaryInPlaceSerializer, (id) => binaryStep(id, "readBinaryInPlace")],
]);

const binaryStep = (id: string, read: string): ScanStep => ({
  ...plainStep(id, "undefined", `${read}(b, p)`),
  isQuoted: true,
  variables: [`x${id}`],
  kept: `latin1Of(x${id})`,
});

/** Any other serializer decodes the stored value itself. */
function otherStep(id: string, annotation: string | undefined): ScanStep {
  const text = textStep(id);
  const type = annotation === undefined ? "undefined" : JSON.stringify(annotation);
  const stored = `(w${id} === undefined ? ${text.value} : w${id})`;
  return {
    isQuoted: false,
    variables: [...text.variables, `w${id}`],
    code: [
      // What stands for packed bytes is no value: only base64 is, which has no asterisk.
      `if (b[p] === 34) { p++; ${annotation === "Edm.Binary" ? "if (b[p] === 42) break row; " : ""}${text.code} }`,
      `else if (b[p] === 116 || b[p] === 102) { w${id} = readBoolean(b, p); ${giveUp} }`,
      `else { w${id} = readInt32(b, p); ${giveUp} }`,
    ].join(" "),
    value: `s${id}.decode(w${id} = ${stored}, ${type}, p${id})`,
    kept: `s${id}.keep(w${id}, @, ${type})`,
  };
}

/** How values of a property are read whose rows have this annotation. */
export function stepOf(serializer: AnySerializer, id: string, annotation: string | undefined): ScanStep {
  if (annotation === undefined && serializer === stringSerializer) return textStep(id);
  const step = (annotation === undefined ? steps : quotedSteps).get(serializer);
  const isOwn = annotation === undefined || annotation === serializer.edm;
  return step !== undefined && isOwn ? step(id) : otherStep(id, annotation);
}
