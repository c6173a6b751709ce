/**
 * What code makes of these constants, which it names. The code is the body of a function; names may enter it only as JSON
 * strings, and values not at all.
 *
 * @returns undefined where the runtime compiles no text
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
