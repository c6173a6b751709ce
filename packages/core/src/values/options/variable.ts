/** A variable of the environment that is set to something; undefined, too, where a runtime refuses to show it. */
export function variable(name: string): string | undefined {
  try {
    return process.env[name] || undefined;
  } catch {
    return undefined;
  }
}
