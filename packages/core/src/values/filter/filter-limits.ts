/**
 * Levels of a filter at most: lists and negations inside each other. Each reader of filters follows them by recursion, and
 * the service documents 15 comparisons, so deeper ones are mistakes.
 */
export const maxFilterDepth = 100;

/** The same of its text: a negation is one level more there, since parentheses follow it. */
export const maxTextDepth: number = 2 * maxFilterDepth;

/** The same of the conditions of a query, which the planner wraps in some levels of its own. */
export const maxConditionDepth: number = maxFilterDepth / 2;

/** Characters of a filter's text at most: far more than a URL takes, and few enough for regular expressions, which keep a stack. */
export const maxFilterLength = 1_000_000;
