const warned = new WeakMap<object, Set<string>>();

/**
 * Emits a process warning once for each subject, such as a class.
 *
 * @param about - distinguishes several warnings with the same code for one subject
 * @returns whether this call was the first
 */
export function warnOnce(subject: object, code: string, message: () => string, about = ""): boolean {
  const warning = `${code} ${about}`;
  const before = warned.get(subject);
  if (before?.has(warning) === true) return false;
  warned.set(subject, (before ?? new Set()).add(warning));
  // A browser or a worker may have no process.
  if (typeof process === "object") process.emitWarning(message(), { code });
  return true;
}
