import type { Domain, Domains, DomainSetting } from "./domain.ts";

/** Values for all parameters of a pattern, by name. */
export type CaseValues = Readonly<Record<string, unknown>>;

/** The years for the current time, for patterns with relative dates. */
const [firstYear, yearCount] = [2025, 4];

/**
 * The current times of a check: the first of each month of four years including a leap year. One time if no
 * date is relative.
 */
export function momentsOf(parameters: Domains): readonly number[] {
  const isRelative = Object.values(parameters).some((domain) => domain.nowFor !== undefined);
  const count = isRelative ? yearCount * 12 : 1;
  return Array.from({ length: count }, (_, i) => Date.UTC(firstYear, i, 1));
}

/**
 * Combinations of the parameters' corners: all of them, or `most` of them chosen deterministically. If a
 * domain has few values, all of its values are included.
 */
export function cornerCases(parameters: Domains, setting: DomainSetting, most: number): CaseValues[] {
  const corners = combinations(parameters, (domain) => domain.corners(setting), most);
  const isListed = Object.values(parameters).some(({ values }) => values !== undefined);
  return isListed ? [...corners, ...listedCases(parameters, setting, most)] : corners;
}

/**
 * Every value of the domains that list them: all combinations, or each value with chosen corners of the
 * others.
 */
function listedCases(parameters: Domains, setting: DomainSetting, most: number): CaseValues[] {
  const valuesOf = (domain: Domain): readonly unknown[] => domain.values ?? domain.corners(setting);
  const lists = Object.values(parameters).map(valuesOf);
  if (productOf(lists) <= most) return combinations(parameters, valuesOf, most);
  return Object.entries(parameters).flatMap(([name, { values = [] }]) =>
    values.map((value, i) => ({
      ...drawn(parameters, (domain) => domain.corners(setting), i),
      [name]: value,
    })),
  );
}

function combinations(
  parameters: Domains,
  valuesOf: (domain: Domain) => readonly unknown[],
  most: number,
): CaseValues[] {
  const lists = Object.values(parameters).map(valuesOf);
  if (productOf(lists) > most) return Array.from({ length: most }, (_, i) => drawn(parameters, valuesOf, i));
  let cases: CaseValues[] = [{}];
  for (const [name, domain] of Object.entries(parameters))
    cases = cases.flatMap((each) => valuesOf(domain).map((value) => ({ ...each, [name]: value })));
  return cases;
}

const productOf = (lists: readonly (readonly unknown[])[]): number =>
  lists.reduce((product, { length }) => product * length, 1);

function drawn(
  parameters: Domains,
  valuesOf: (domain: Domain) => readonly unknown[],
  seed: number,
): CaseValues {
  let state = seed;
  const entries = Object.entries(parameters).map(([name, domain]) => {
    const values = valuesOf(domain);
    state = mixed(state + 0x9e37_79b9);
    return [name, values[state % values.length]];
  });
  return Object.fromEntries(entries) as CaseValues;
}

/** The finalizer of MurmurHash3: 32 bits that all depend on every bit of the seed. */
function mixed(seed: number): number {
  let bits = seed | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
