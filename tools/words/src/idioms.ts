/** A turn of phrase that slows strangers down, or one that helps them. */
export interface Idiom {
  readonly name: string;
  /** How it is found in the prose of a passage, where `¶` begins each heading and list item. */
  readonly pattern: RegExp;
  /** Per 10,000 words, for all texts of a group together; absent for an idiom that is only watched. */
  readonly limit?: { readonly atMost: number } | { readonly atLeast: number };
  /** The groups of texts it is measured in; all by default. */
  readonly groups?: readonly string[];
}

export const idioms: readonly Idiom[] = [
  { name: "somebody", pattern: /\b(?:some|no|any)body\b/giu, limit: { atMost: 1 } },
  { name: "whoever", pattern: /\b(?:who|what|which)ever\b/giu, limit: { atMost: 2 } },
  { name: "behind", pattern: /\b(?:behind|besides?)\b/giu, limit: { atMost: 2 } },
  {
    name: "of-which",
    pattern: /\b(?:(?:of|in|for|from|by|under)\s+which|whose)\b/giu,
    limit: { atMost: 6 },
  },
  // A clause that begins with it, but for questions.
  { name: "what", pattern: /[.;:,(]\s+what\b(?![^.?]*\?)/giu, limit: { atMost: 2 } },
  // A comment, a paragraph, a heading or a list item that begins with it.
  { name: "what-first", pattern: /(?:^|\n\s*\n|¶)\s*what\b(?![^.?]*\?)/giu },
  {
    name: "as-it-is",
    pattern: /\bas\s+(?:it|they)\s+(?:is|are|was|were|came|comes?|stands?)\b/giu,
    limit: { atMost: 2 },
  },
  { name: "so-that", pattern: /\bso\s+that\b/giu, limit: { atMost: 5 } },
  { name: "you", pattern: /\byour?\b/giu, limit: { atLeast: 120 }, groups: ["guides"] },
];
