const warned = new Map<string, WeakSet<object>>();

/**
 * Emits a process warning once for each subject, such as a class.
 *
 * @returns whether this call was the first
 */
export function warnOnce(subject: object, code: string, message: () => string): boolean {
  let subjects = warned.get(code);
  if (subjects === undefined) warned.set(code, (subjects = new WeakSet()));
  if (subjects.has(subject)) return false;
  subjects.add(subject);
  // A browser or a worker may have no process.
  if (typeof process === "object") process.emitWarning(message(), { code });
  return true;
}
