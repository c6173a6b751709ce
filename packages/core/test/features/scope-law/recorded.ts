import type { Query, TableContext } from "../../../src/index.ts";

/** A context or a query whose calls are noted by name; queries that it makes are noted, too. */
export function recorded<Target extends TableContext | Query<object, unknown>>(
  target: Target,
  called: Set<string>,
): Target {
  return new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name, of);
      called.add(String(name));
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, of, args);
        const isQuery = typeof result === "object" && result !== null && "toArray" in result;
        return isQuery ? recorded(result as Query<object>, called) : result;
      };
    },
  });
}
