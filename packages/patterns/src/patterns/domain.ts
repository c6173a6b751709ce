/** What the values of a check depend on beside their domain. */
export interface DomainSetting {
  /** The moment that counts as now, in milliseconds since 1970. */
  readonly now: number;
  /** The separators of the keys that the pattern's query reads. */
  readonly separators: readonly string[];
}

/** Of what form a domain's values are, for those who make them at random. Lengths and ends are included. */
export type DomainForm =
  | { readonly type: "text"; readonly min: number; readonly max: number }
  | { readonly type: "integer" | "number"; readonly min: number; readonly max: number }
  | { readonly type: "int64"; readonly min: bigint; readonly max: bigint }
  | { readonly type: "date"; readonly min: number; readonly max: number }
  /** A date before now, as old as so many milliseconds at most. */
  | { readonly type: "recent"; readonly ms: number }
  | { readonly type: "guid" }
  | { readonly type: "values"; readonly values: readonly unknown[] }
  | { readonly type: "list"; readonly of: Domain; readonly min: number; readonly max: number }
  | { readonly type: "optional"; readonly of: Domain };

/**
 * The values that a parameter of an access pattern may have, with bounds. Plans depend on values in few ways: how long
 * lists are, how wide spans are, what keys cannot hold. A domain knows the values at these corners.
 */
export interface Domain<out Value = unknown> {
  /** In words that follow "a parameter that is". */
  readonly takes: string;
  readonly form: DomainForm;
  /** Every value, where there are at most 1,000. */
  readonly values?: readonly Value[];
  /** Whether a value is of the domain. */
  accepts(value: unknown, setting: Pick<DomainSetting, "now">): boolean;
  /** The values at the ends of the domain, and those that keys find hard. All are of the domain. */
  corners(setting: DomainSetting): readonly Value[];
  /** Values that differ from each other and lie as far apart as they can, so many at most. */
  spread(count: number, setting: DomainSetting): readonly Value[];
  /** The least moment that may be now for the value to be of the domain; undefined where any may be. */
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

/** A value for each parameter; those that are `optional()` may be left out. */
export type ValuesOf<Parameters extends Domains> = {
  readonly [Name in Exclude<keyof Parameters, OptionalNames<Parameters>>]: ValueIn<Parameters, Name>;
} & {
  readonly [Name in OptionalNames<Parameters>]?: ValueIn<Parameters, Name>;
};

/** Values of a domain that has at most so many are all checked. */
export const maxListed = 1_000;

/** So many numbers from `min` to `max`, both included, at equal distances. */
export function spreadOver(count: number, min: number, max: number): number[] {
  const most = Math.min(count, Math.floor(max - min) + 1);
  if (most <= 1) return most === 1 ? [min] : [];
  return Array.from({ length: most }, (_, i) => min + Math.floor(((max - min) * i) / (most - 1)));
}

/** Each once, by their text. */
export const unique = <Value>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [`${typeof value} ${String(value)}`, value])).values(),
];
