import { ServiceFault } from "../wire/service-fault.ts";
import type { ByteRange } from "./page-map.ts";

/**
 * The range in a request: `x-ms-range`, or `range`. Its end is the last byte, or Infinity if it is left out.
 *
 * @throws ServiceFault `InvalidHeaderValue`
 */
export function rangeOf(header: (name: string) => string | undefined): ByteRange | undefined {
  const text = header("x-ms-range") ?? header("range");
  if (text === undefined) return undefined;
  const found = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(text);
  if (found === null) throw new ServiceFault("InvalidHeaderValue");
  const [start, end] = [
    Number(found[1]),
    found[2] === undefined ? Number.POSITIVE_INFINITY : Number(found[2]),
  ];
  if (end < start) throw new ServiceFault("InvalidHeaderValue");
  return { start, end };
}
