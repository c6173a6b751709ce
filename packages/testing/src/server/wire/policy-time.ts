/**
 * A time of an access policy as the service writes it, `2015-01-01T12:10:00.0000000Z`: in UTC, with seven fractional
 * digits. Undefined for what is no time.
 *
 * Source: learn.microsoft.com "Formatting DateTime values", for what it reads.
 */
export function policyTime(text: string): string | undefined {
  const found = pattern.exec(text.trim());
  if (found === null) return undefined;
  const [, day = "", minutes = "00:00", seconds = "00", fraction = "", zone = "Z"] = found;
  // A day that its month does not have would be one of the next month.
  const isDay = isoOf(`${day}T00:00:00Z`)?.startsWith(day) === true;
  const time = isDay ? isoOf(`${day}T${minutes}:${seconds}${zone}`) : undefined;
  return time === undefined ? undefined : `${time.slice(0, 19)}.${fraction.padEnd(7, "0")}Z`;
}

/** A day; its time to the minute, the second or a fraction of it; the zone, UTC when it is missing. */
const pattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function isoOf(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
