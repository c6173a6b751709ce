import { randomNumbers } from "@partita/testing";

/** The inputs and tokens of a fuzzer. */
export interface MutationOptions {
  readonly seed: number;
  /** Valid inputs, from which the others are made. */
  readonly seeds: readonly string[];
  /** Text with a meaning for the parser, to insert anywhere. */
  readonly tokens: readonly string[];
}

/**
 * Endless inputs for a parser: valid ones with pieces cut, doubled, moved, exchanged and inserted. The same
 * for each seed.
 */
export function* mutations({ seed, seeds, tokens }: MutationOptions): Generator<string, never> {
  const random = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const one = (list: readonly string[]): string => list[below(list.length)] ?? "";
  for (;;) {
    let text = one(seeds);
    for (let edits = below(5); edits >= 0; edits--) {
      const [from, length] = [below(text.length + 1), below(12)];
      const [before, piece, after] = [
        text.slice(0, from),
        text.slice(from, from + length),
        text.slice(from + length),
      ];
      const instead = [
        "",
        one(tokens),
        piece + one(tokens),
        piece + piece,
        String.fromCharCode(below(0x1_0000)),
        one(seeds).slice(below(40)),
        one(tokens).repeat(below(50)),
      ][below(7)];
      text = before + (instead ?? "") + after;
    }
    yield text;
  }
}
