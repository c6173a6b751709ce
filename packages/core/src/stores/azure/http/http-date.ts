let last = { second: Number.NaN, text: "" };

/** A time as headers have it, to the second: `Sat, 21 Nov 2026 00:52:49 GMT`. Printed once for all requests of a second. */
export function httpDate(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) last = { second, text: new Date(second * 1000).toUTCString() };
  return last.text;
}
