/**
 * Whether a value is the same plain data as a value parsed from JSON: members in the same order, including numbers that
 * JSON cannot print. It uses an explicit stack, so the data may have any depth.
 */
export function isSameData(value: unknown, parsed: unknown): boolean {
  const open: (readonly [unknown, unknown])[] = [[value, parsed]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [mine, theirs] = pair;
    if (Object.is(mine, theirs)) continue;
    if (!isObject(mine) || !isObject(theirs)) return false;
    const names = Object.keys(theirs);
    const own = Object.keys(mine);
    const isSameKind = Object.getPrototypeOf(mine) === Object.getPrototypeOf(theirs);
    if (!isSameKind || own.length !== names.length) return false;
    for (const [i, name] of names.entries()) {
      if (own[i] !== name) return false;
      open.push([mine[name], theirs[name]]);
    }
  }
  return true;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
