import { ServiceFault } from "./service-fault.ts";

/** The inclusive bounds of a whole number in a query. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** @throws ServiceFault `InvalidQueryParameterValue` if it is not a whole number, `OutOfRangeQueryParameterValue` */
export function numberIn(
  query: ReadonlyMap<string, string>,
  name: string,
  { least, most }: Bounds,
): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw new ServiceFault("InvalidQueryParameterValue");
  const value = Number(text);
  if (value < least || value > most) throw new ServiceFault("OutOfRangeQueryParameterValue");
  return value;
}

/** @throws ServiceFault `MissingRequiredQueryParameter` */
export function requiredIn<Value>(value: Value | undefined): Value {
  if (value === undefined || value === "") throw new ServiceFault("MissingRequiredQueryParameter");
  return value;
}
