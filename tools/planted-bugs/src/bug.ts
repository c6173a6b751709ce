/** Tests that must fail while a bug is planted. */
export interface Suite {
  /** A project of the workspace's vitest configuration. */
  readonly project: string;
  /** Files of the project, as paths in the workspace. */
  readonly files: readonly string[];
  /** Environment variables of the run. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A bug, and its code in the sources of the packages, in any file.
 *
 * `find`, `given` and `replace` are code with placeholders. A placeholder, such as `$ENTRY`, matches any
 * expression or name, and the same one wherever it is repeated. As a complete statement, it matches any
 * statement. Formatting, comments, quotes and parentheses are ignored. Code that ends with a semicolon is a
 * statement, all other code an expression.
 */
export interface Bug {
  /** The effect of the bug. */
  readonly name: string;
  /**
   * The function or method that contains `find`, if other functions have such code too. `#name` for a private
   * method.
   */
  readonly function?: string;
  /** The code to replace. It must be found exactly once in all packages, or in functions of that name. */
  readonly find: string;
  /**
   * Other code of the same function, or file, which must also be found exactly once. It binds further
   * placeholders of `replace`.
   */
  readonly given?: string;
  /** The new code. Undefined to delete the code. */
  readonly replace?: string;
  /** The tests that must catch it. */
  readonly caughtBy: Suite;
}
