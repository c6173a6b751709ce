/** A command was called with invalid arguments. The exit code is 2. */
export class UsageError extends Error {
  get isUsageError(): true {
    return true;
  }

  static is(value: unknown): value is UsageError {
    return (value as Partial<UsageError> | null | undefined)?.isUsageError === true;
  }
}
