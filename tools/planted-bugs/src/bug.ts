/** Tests that must fail while a bug is planted. */
export interface Suite {
  /** A project of the workspace's vitest configuration. */
  readonly project: string;
  /** Files of the project, as paths of the workspace. */
  readonly files: readonly string[];
  /** Environment variables of the run. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A bug and its place in the sources of the packages, whatever file that is in.
 *
 * `find`, `given` and `replace` are code with placeholders. A placeholder, such as `$ENTRY`, stands for any expression or
 * name, and for the same one wherever it is repeated; alone in a statement, it stands for any statement. Formatting,
 * comments, quotes and parentheses do not count. Code that ends with a semicolon is a statement, all other code an
 * expression.
 */
export interface Bug {
  /** What goes wrong. */
  readonly name: string;
  /** The function or method that has `find`, where other functions have such code too; `#name` for a private method. */
  readonly function?: string;
  /** What is replaced. It must be found exactly once in all packages, or in functions of that name. */
  readonly find: string;
  /** Other code of the same function, or file, found exactly once too: it says what more placeholders of `replace` stand for. */
  readonly given?: string;
  /** What takes its place; nothing when undefined. */
  readonly replace?: string;
  /** The tests that must catch it. */
  readonly caughtBy: Suite;
}
