// Key formats: how the parts of a key are written, so that rows sort as their values do. To add one, see `values/README.md`.

export { bucket, type BucketOptions, type BucketSource, hashBits } from "./values/keys/bucket.ts";
export {
  type CalendarSlice,
  type CalendarSliceChoice,
  type CalendarUnit,
  day,
  hour,
  month,
  week,
} from "./values/keys/calendar-slice.ts";
export { constant, type ConstantFormat, type PrefixedFormat } from "./values/keys/constant.ts";
export type { DerivedFormat } from "./values/keys/derived-format.ts";
export { descending } from "./values/keys/descending.ts";
export { escaped } from "./values/keys/escaped.ts";
export type {
  AnyKeyFormat,
  FormatRange,
  GeneratingFormat,
  KeyFormat,
  KeyPattern,
  RangeOperator,
} from "./values/keys/key-format.ts";
export { isoDate, type IsoDatePattern, type IsoDayPattern } from "./values/keys/iso-date.ts";
export type { KeyName } from "./values/keys/key-rules.ts";
export type { KeyPart, KeyTemplate } from "./values/keys/key-template.ts";
export { leading } from "./values/keys/leading.ts";
export { padded, padded64, type PaddedOptions } from "./values/keys/padded.ts";
export { type SliceRule, slices } from "./values/keys/slices.ts";
export type { TextRange } from "./values/keys/text-range.ts";
export { newestFirst, oldestFirst, type TimeOrder } from "./values/keys/time-order.ts";
export { ulid, type UlidFormat } from "./values/keys/ulid.ts";
export { verbatim } from "./values/keys/verbatim.ts";
