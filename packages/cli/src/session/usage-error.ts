/** A command was called in a way that means nothing; exit code 2. */
export class UsageError extends Error {
  get isUsageError(): true {
    return true;
  }

  static is(value: unknown): value is UsageError {
    return (value as Partial<UsageError> | null | undefined)?.isUsageError === true;
  }
}
