/** A command was called in a way that means nothing; exit code 2. */
export class UsageError extends Error {}
