/** A mark of an axis. */
export interface Tick {
  /** Its position, from 0 to 1. */
  readonly at: number;
  readonly label: string;
}

/** Round numbers from 0 to about the largest value: 0, 50, 100, 150. */
export function countTicks(most: number): readonly Tick[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const steps = [0.25, 0.5, 1, 2, 2.5].map((part) => part * power).filter(Number.isInteger);
  const step = steps.find((each) => each * 4 >= most) ?? power * 2.5;
  const count = Math.floor(most / step);
  return Array.from({ length: count + 1 }, (_, i) => ({
    at: (i * step) / most,
    label: (i * step).toLocaleString("en"),
  }));
}

/** Some of a list's items, evenly spaced, with the first and the last. */
export function itemTicks(labels: readonly string[], most: number): readonly Tick[] {
  const last = labels.length - 1;
  const count = Math.min(most, labels.length);
  const indexes =
    count < 2 ? [0] : Array.from({ length: count }, (_, i) => Math.round((i * last) / (count - 1)));
  return indexes.map((index) => ({ at: (index + 0.5) / labels.length, label: labels[index] ?? "" }));
}

/** The columns of a time axis: their ticks, the width of one, and the days or the day of all. */
export interface TimeAxis {
  readonly ticks: readonly Tick[];
  readonly column: string;
  readonly days: string;
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/**
 * Labels the starts of columns of equal width, in UTC, as exactly as neighbouring labels differ: days, minutes or
 * seconds.
 *
 * @param moments - ISO 8601, at least one
 */
export function timeAxis(moments: readonly string[], most: number): TimeAxis {
  const starts = moments.map((moment) => Date.parse(moment));
  const [first = 0, next] = starts;
  const width = next === undefined ? second : next - first;
  const end = first + width * starts.length;
  const edges = [...starts, end].map((time) => new Date(time).toISOString());
  const indexes = evenIndexes(edges.length - 1, most);
  const [firstDay, lastDay] = [dayOf(edges[0]), dayOf(edges.at(-1))];
  const label = labelFor(end - first, firstDay === lastDay);
  return {
    ticks: indexes.map((index) => ({ at: index / (edges.length - 1), label: label(edges[index] ?? "") })),
    column: spanText(width),
    days: firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`,
  };
}

/** Indexes with equal steps from 0, and the last. One that is too near to the last is left out. */
function evenIndexes(last: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(last / (most - 1)));
  const indexes = Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
  return [...indexes.filter((index) => last - index >= step * 0.6), last];
}

function labelFor(span: number, isOneDay: boolean): (iso: string) => string {
  if (span > 8 * day) return dayOf;
  const time = (iso: string): string => iso.slice(11, span > 10 * minute ? 16 : 19);
  return isOneDay ? time : (iso) => `${iso.slice(5, 10)} ${time(iso)}`;
}

const dayOf = (iso = ""): string => iso.slice(0, 10);

/** A duration in its largest unit: `32 minutes`. */
function spanText(ms: number): string {
  const [unit, name] = (
    [
      [day, "day"],
      [hour, "hour"],
      [minute, "minute"],
    ] as const
  ).find(([each]) => ms >= each) ?? [second, "second"];
  const count = Math.round((ms / unit) * 10) / 10;
  return count === 1 ? `one ${name}` : `${count.toLocaleString("en")} ${name}s`;
}
