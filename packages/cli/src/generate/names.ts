/** Names that the generated code imports. A class with such a name would hide the import. */
const namesInCode: readonly string[] =
  "Table Kind PartitionKey RowKey Text Int32 Int64 Double Bool DateTime Guid Binary Ticks".split(" ");

/** Global names of the language. Compilers use them in the code that they generate for decorators. */
const namesOfLanguage: readonly string[] = [
  "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date",
  "DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array",
  "Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp",
  "Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array",
  "Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly",
].flatMap((line) => line.split(" "));

const notFree: ReadonlySet<string> = new Set([...namesInCode, ...namesOfLanguage]);

/**
 * Makes a class name: `blog-post` and `BlogPosts` become `BlogPost` and `BlogPosts`; `Date` becomes
 * `DateRow`.
 */
export function className(text: string): string {
  const words = text.split(/[^\p{L}\d]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  if (notFree.has(joined)) return `${joined}Row`;
  return /^\p{L}/u.test(joined) ? joined : `Row${joined}`;
}

/**
 * Makes a property name in TypeScript style: `AlternativeName` becomes `alternativeName`, `URL` becomes
 * `url`.
 */
export function propertyName(storedName: string): string {
  const capitals = /^\p{Lu}+(?=\p{Lu}\p{Ll}|[\d_]|$)|^\p{Lu}/u.exec(storedName)?.[0] ?? "";
  const name = capitals.toLowerCase() + storedName.slice(capitals.length);
  return isReserved(name) ? `${name}Value` : name;
}

/** Whether objects, promises or JSON use the name themselves, so no class can declare it. */
export const isReserved = (name: string): boolean =>
  name in Object.prototype || ["prototype", "then", "toJSON"].includes(name);

/** Makes a name that no other member has, and reserves it. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}${n}`;
  taken.add(free);
  return free;
}
