import { SerializationError } from "../errors/serialization-error.ts";
import { dateTimeType } from "./date-time.ts";
import { canonicalDateTime } from "./date-time-text.ts";
import { ticksSerializer } from "./ticks.ts";
import { snapshotAsStored, type Serializer } from "./serializer.ts";

/** A time with an offset; without one, the moment is unknown. */
const withOffset = /T[0-9:.]+(?:Z|[+-]\d\d:\d\d)$/;
const expected =
  'a time with an offset or Z and at most 7 fractional digits, as text such as "2026-11-25T10:00:00+01:00"';
const range = "times from 1601-01-01T00:00:00Z to 9999-12-31T23:59:59.9999999Z";

/** A moment in UTC with seven digits of a second; undefined for any other text. Equal moments have equal text. */
const momentOf = (text: string): string | undefined =>
  withOffset.test(text) ? canonicalDateTime(text) : undefined;

const isInRange = (moment: string): boolean => moment >= "1601";

/** A moment as text, exact to 100 ns, as a DateTime. */
export const instantSerializer: Serializer<string> = {
  ...dateTimeType,
  ...snapshotAsStored,
  name: "Instant",
  comparison: "ordered",
  keyAdvice:
    "Write newestFirst({ ticks: true }) or oldestFirst({ ticks: true }), and give it Ticks.parse(text).",
  plainForm: `${expected},`,
  plain: {
    print: (stored) => canonicalDateTime(String(stored)) ?? String(stored),
    parse: (value) => (typeof value === "string" ? momentOf(value) : undefined),
  },
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, expected, value);
    const moment = momentOf(value);
    if (moment === undefined) throw SerializationError.malformed(path, expected);
    if (!isInRange(moment)) throw SerializationError.outOfRange(path, range);
    return moment;
  },
  decode: (stored, annotation, path) => ticksSerializer.decode(stored, annotation, path).toString(),
  isUnchanged: (snapshotValue, value) =>
    value === snapshotValue ||
    (typeof value === "string" && momentOf(value) === canonicalDateTime(snapshotValue as string)),
};
