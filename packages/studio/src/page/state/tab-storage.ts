/** Stores a value for this tab; undefined removes it. @returns false if it is too large for the browser */
export function keepInTab(name: string, value: unknown): boolean {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    sessionStorage.removeItem(name);
    return false;
  }
}

/** The value that this tab stored, perhaps before a reload. */
export function keptInTab<Value>(name: string): Value | undefined {
  const stored = sessionStorage.getItem(name);
  return stored === null ? undefined : (JSON.parse(stored) as Value);
}
