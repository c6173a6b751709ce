/** Whether a value is a Date, be it of another realm such as a test's sandbox. */
export function isDate(value: unknown): value is Date {
  if (typeof value !== "object" || value === null) return false;
  try {
    Date.prototype.getTime.call(value);
    return true;
  } catch {
    return false;
  }
}
