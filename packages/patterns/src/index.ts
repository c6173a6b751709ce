// Access patterns: the queries of a program, each declared once with the bounds of its plans. Also finds the
// keys and partitions that take the load.

export { type AnyPatterns, definePatterns, type Patterns } from "./patterns/define-patterns.ts";
export {
  type AskedClasses,
  type EntityOf,
  pattern,
  type Pattern,
  type PatternDeclaration,
} from "./patterns/pattern.ts";
export { countRequests, exceeded, type PatternBounds, type PatternUse } from "./patterns/bounds.ts";
export { type CaseValues, cornerCases, momentsOf } from "./patterns/corner-cases.ts";
export type { Domain, DomainForm, Domains, DomainSetting, ValuesOf } from "./patterns/domain.ts";
export type { LengthOptions, RangeOptions } from "./patterns/domain-options.ts";
export { listOf, type ListOptions, optional } from "./patterns/combined-domains.ts";
export { anyDate, withinDays } from "./patterns/date-domains.ts";
export { anyGuid, anyText } from "./patterns/text-domains.ts";
export { anyBoolean, anyInt64, anyInteger, anyNumber, anyOf } from "./patterns/value-domains.ts";
export { isPatterns, PatternError } from "@partita/core/internal";

export { analyzeKeys, type KeyFinding } from "./analyze-keys.ts";
export type { LoadReport, PartitionLoad, TableInserts } from "./load/partition-load.ts";
export {
  type LoadOptions,
  watchPartitions,
  type WatchedStorage,
  type WatchOptions,
} from "./load/watch-partitions.ts";
