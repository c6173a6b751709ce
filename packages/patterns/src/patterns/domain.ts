/** The setting that the values of a check depend on. */
export interface DomainSetting {
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** The separators of the keys that the pattern's query reads. */
  readonly separators: readonly string[];
}

/** The form of a domain's values, for generating random ones. Lengths and ends are inclusive. */
export type DomainForm =
  | { readonly type: "text"; readonly min: number; readonly max: number }
  | { readonly type: "integer" | "number"; readonly min: number; readonly max: number }
  | { readonly type: "int64"; readonly min: bigint; readonly max: bigint }
  | { readonly type: "date"; readonly min: number; readonly max: number }
  /** A date at most this many milliseconds before the current time. */
  | { readonly type: "recent"; readonly ms: number }
  | { readonly type: "guid" }
  | { readonly type: "values"; readonly values: readonly unknown[] }
  | { readonly type: "list"; readonly of: Domain; readonly min: number; readonly max: number }
  | { readonly type: "optional"; readonly of: Domain };

/**
 * The values of a parameter of an access pattern, with bounds. Plans depend on values in few ways: the length
 * of lists, the width of ranges, and characters that keys cannot hold. A domain knows the values at these
 * corners.
 */
export interface Domain<out Value = unknown> {
  /** In words that follow "a parameter that is". */
  readonly takes: string;
  readonly form: DomainForm;
  /** Every value, if there are at most 1,000. */
  readonly values?: readonly Value[];
  /** Whether a value is in the domain. */
  accepts(value: unknown, setting: Pick<DomainSetting, "now">): boolean;
  /** The values at the ends of the domain, and those that are hard for keys. All are in the domain. */
  corners(setting: DomainSetting): readonly Value[];
  /** At most this many different values, as far apart as possible. */
  spread(count: number, setting: DomainSetting): readonly Value[];
  /** The earliest current time for which the value is in the domain. Undefined if any will do. */
  nowFor?(value: unknown): number | undefined;
}

/** The parameters of a pattern, by name. */
export type Domains = Readonly<Record<string, Domain>>;

type OptionalNames<Parameters extends Domains> = {
  [Name in keyof Parameters]: Parameters[Name] extends Domain<infer Value>
    ? undefined extends Value
      ? Name
      : never
    : never;
}[keyof Parameters];

type ValueIn<Parameters extends Domains, Name extends keyof Parameters> =
  Parameters[Name] extends Domain<infer Value> ? Value : never;

/** A value for each parameter. Those that are `optional()` may be left out. */
export type ValuesOf<Parameters extends Domains> = {
  readonly [Name in Exclude<keyof Parameters, OptionalNames<Parameters>>]: ValueIn<Parameters, Name>;
} & {
  readonly [Name in OptionalNames<Parameters>]?: ValueIn<Parameters, Name>;
};

/** Domains up to this size are checked completely. */
export const maxListed = 1_000;

/** This many evenly spaced numbers from `min` to `max`, both inclusive. */
export function spreadOver(count: number, min: number, max: number): number[] {
  const most = Math.min(count, Math.floor(max - min) + 1);
  if (most <= 1) return most === 1 ? [min] : [];
  return Array.from({ length: most }, (_, i) => min + Math.floor(((max - min) * i) / (most - 1)));
}

/** Each value once, compared by text. */
export const unique = <Value>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [`${typeof value} ${String(value)}`, value])).values(),
];
