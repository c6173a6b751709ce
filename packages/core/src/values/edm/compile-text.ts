/**
 * Compiles the body of a function that uses these constants by name, and returns its result. Names may appear in the
 * code only as JSON strings, and values not at all.
 *
 * @returns undefined if the runtime does not allow compiling text
 */
export function compileText<Result>(
  constants: Readonly<Record<string, unknown>>,
  code: string,
): Result | undefined {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- see above
    const build = new Function(...Object.keys(constants), code) as (...values: unknown[]) => Result;
    return build(...Object.values(constants));
  } catch {
    return undefined;
  }
}
