import { QueryError } from "../../values/errors/query-error.ts";

/** The error for a JavaScript operator that is used instead of a method of a condition or a column. */
export function conditionOperator(operator: string, where: string): QueryError {
  return new QueryError(
    "query.condition-operator",
    `A callback of ${where} uses JavaScript's ${operator} on a condition or a column, which does not become part of the query. ${remedyOf(operator)} The lint rule @partita/no-condition-operators of @partita/eslint-plugin finds all such places.`,
    { operator },
  );
}

function remedyOf(operator: string): string {
  switch (operator) {
    case "||":
    case "??":
      return "Write a.or(b).";
    case "&&":
      return "Write a.and(b).";
    case "!":
      return "Write a.not().";
    case "?":
      return "A condition is always true: choose by a value of your own, or write a.and(b).or(a.not().and(c)).";
    default:
      return "Compare columns with methods: eq, ne, gt, ge, lt or le.";
  }
}

/**
 * Refuses conversion to a number or a text: `<`, `>=`, `==` and the like compare the object, not the column or
 * condition.
 */
export function refuseComparison(hint: string, where: string): string {
  if (hint !== "string") throw conditionOperator("comparison or arithmetic", where);
  return where;
}
