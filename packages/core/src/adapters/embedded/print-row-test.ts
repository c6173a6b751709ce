import type { Comparison } from "../../filter/filter-node.ts";
import { toOrderedText } from "./stored-row.ts";
import type { RowTest } from "./row-test.ts";

/** A piece of SQL and the values of its parameters. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | bigint)[];
}

/** The test in SQL, over the columns `pk`, `rk` and `body`. */
export function printRowTest(test: RowTest): SqlCondition {
  if ("every" in test) return joined(test.every, " AND ");
  if ("some" in test) return joined(test.some, " OR ");
  if ("key" in test) {
    // The sign keeps SQLite from choosing another way through the table for this condition.
    const column = test.key === "PartitionKey" ? "+pk" : "+rk";
    return { sql: `${column} ${operators[test.op]} ?`, values: [toOrderedText(test.text)] };
  }
  // SQLite can be built so that no BLOB is like any pattern. The cast copies nothing that the comparison would not.
  return { sql: "CAST(body AS TEXT) GLOB ?", values: [`*${patternOf(test)}*`] };
}

function joined(tests: readonly RowTest[], operator: string): SqlCondition {
  const printed = tests.map(printRowTest);
  return {
    sql: `(${printed.map(({ sql }) => sql).join(operator)})`,
    values: printed.flatMap(({ values }) => values),
  };
}

const operators: Readonly<Record<Comparison["op"], string>> = {
  eq: "=",
  ne: "<>",
  gt: ">",
  ge: ">=",
  lt: "<",
  le: "<=",
};

/** SQLite refuses patterns of 50,000 bytes; the beginning of a text is necessary too. Names are shorter. */
const maxPatternLength = 500;

function patternOf({ contains, nextOf, anyCase = "" }: Extract<RowTest, { contains: string }>): string {
  const beginning = contains.slice(0, maxPatternLength);
  // Half of a character is none.
  const whole = beginning.isWellFormed() ? beginning : beginning.slice(0, -1);
  return [
    whole.replaceAll(/[*?[]/g, "[$&]"),
    nextOf === undefined ? "" : `[${nextOf}]`,
    anyCase.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
  ].join("");
}
