// The words that comments, messages and guides do not use, and what they say instead. The first column is a pattern, of whole
// words; the glossary of CONTRIBUTING.md explains the terms. `only` limits a word to files where it has that meaning.

/** @type {readonly { readonly not: RegExp; readonly but: string; readonly only?: RegExp }[]} */
export const bannedWords = [
  { not: /\b(?:uncertain(?:ty|ly)?|doubtful(?:ly)?|doubts)\b/giu, but: "in doubt" },
  { not: /\bsettl(?:e|es|ed|ing)\b/giu, but: "resolve (find out an outcome), reset (clear flags)" },
  { not: /\b(?:tell|tells|told|telling)\b/giu, but: "report, return, show, pass to" },
  { not: /\bforg(?:et|ets|ot|otten)\b/giu, but: "untrack, detach; omit" },
  { not: /\bforced\b/giu, but: "explicitly modified" },
  { not: /\btrails?\b/giu, but: "write history" },
  { not: /\bfenc(?:e|es|ed|ing)\b/giu, but: "rewrite under a new ETag" },
  { not: /\bvain\b/giu, but: "of an unstored row" },
  { not: /\blook(?:s|ed|ing)? on\b/giu, but: "observe" },
  { not: /\b(?:has|have|had) (?:its|their) turn\b/giu, but: "runs" },
  { not: /\bgo(?:es)? round\b/giu, but: "repeats" },
  { not: /\btruthful(?:ly)?\b/giu, but: "exactly" },
  { not: /\b(?:let|lets|letting) go\b/giu, but: "detach, release" },
  { not: /\bkept\b/giu, but: "snapshot value", only: /\/(?:codec|unit-of-work)\// },
];
