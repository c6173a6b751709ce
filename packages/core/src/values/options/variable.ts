/** The value of an environment variable; undefined if it is not set or empty, and if the runtime refuses to show it. */
export function variable(name: string): string | undefined {
  try {
    return process.env[name] || undefined;
  } catch {
    return undefined;
  }
}
