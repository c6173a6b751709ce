/**
 * The maximum depth of a filter: lists and negations inside each other. All code that reads filters is recursive, and
 * the service documents 15 comparisons, so deeper filters are mistakes.
 */
export const maxFilterDepth = 100;

/** The maximum depth of a filter's text. A negation counts twice there, since parentheses follow it. */
export const maxTextDepth: number = 2 * maxFilterDepth;

/** The maximum depth of a query's conditions, which the planner wraps in a few more levels. */
export const maxConditionDepth: number = maxFilterDepth / 2;

/**
 * The maximum number of characters in a filter's text: far more than fit in a URL, and few enough for regular
 * expressions, which use a stack.
 */
export const maxFilterLength = 1_000_000;
