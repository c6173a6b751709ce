// Key formats: how the parts of a key are written, so that rows sort and are ranged as their values do.

export { bucket, type BucketOptions, type BucketSource } from "./keys/bucket.ts";
export {
  type CalendarSlice,
  type CalendarSliceChoice,
  type CalendarUnit,
  day,
  hour,
  month,
  week,
} from "./keys/calendar-slice.ts";
export { constant, type ConstantFormat } from "./keys/constant.ts";
export type { DerivedFormat } from "./keys/derived-format.ts";
export { descending } from "./keys/descending.ts";
export { escaped } from "./keys/escaped.ts";
export type { AnyKeyFormat, FormatRange, KeyFormat, KeyPattern, RangeOperator } from "./keys/key-format.ts";
export type { KeyName } from "./keys/key-rules.ts";
export type { KeyPart, KeyTemplate } from "./keys/key-template.ts";
export { padded, padded64, type PaddedOptions } from "./keys/padded.ts";
export { type SliceRule, slices } from "./keys/slices.ts";
export type { TextRange } from "./keys/text-range.ts";
export { newestFirst, oldestFirst, type TimeOrder } from "./keys/time-order.ts";
export { ulid, type UlidFormat } from "./keys/ulid.ts";
export { verbatim } from "./keys/verbatim.ts";
