import { UsageError } from "../session/usage-error.ts";

/** What a command line asks for. */
export interface PageRangesArguments {
  /** For `openPageBlob`. */
  readonly target: string;
  readonly blob?: string;
  readonly segmentBytes?: number;
  readonly timeoutMs?: number;
  readonly snapshot?: string;
  readonly from?: number;
  readonly isJoined: boolean;
  readonly isListed: boolean;
  /** A file to write. */
  readonly svg?: string;
}

/** Options as they were given. */
export interface PageRangesTexts extends Readonly<
  Partial<Record<"blob" | "segment" | "timeout" | "snapshot" | "from" | "svg", string>>
> {
  readonly join?: boolean;
  readonly list?: boolean;
}

/** Reads bytes and seconds. @throws UsageError */
export function readPageRangesArguments(
  args: readonly string[],
  values: PageRangesTexts,
): PageRangesArguments {
  const [target = ""] = args;
  const { blob, snapshot, svg, join = false, list = false } = values;
  const segmentBytes = values.segment === undefined ? undefined : bytesOf("--segment", values.segment);
  const from = values.from === undefined ? undefined : bytesOf("--from", values.from);
  const seconds = values.timeout === undefined ? undefined : secondsOf(values.timeout);
  return {
    target,
    isJoined: join,
    isListed: list,
    ...(blob !== undefined && { blob }),
    ...(snapshot !== undefined && { snapshot }),
    ...(svg !== undefined && { svg }),
    ...(segmentBytes !== undefined && { segmentBytes }),
    ...(from !== undefined && { from }),
    ...(seconds !== undefined && { timeoutMs: seconds * 1000 }),
  };
}

const units: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Bytes, or so many KiB, MiB, GiB or TiB: `10G`. @throws UsageError */
function bytesOf(flag: string, text: string): number {
  const found = /^(\d{1,15})([KMGT]?)$/i.exec(text);
  const [, digits = "", unit = ""] = found ?? [];
  const bytes = Number(digits) * (units[unit.toUpperCase()] ?? Number.NaN);
  if (found === null || bytes % 512 !== 0)
    throw new UsageError(`${flag} takes a multiple of 512 bytes, such as 512, 150M or 10G.`);
  return bytes;
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds < 2_000_000) return seconds;
  throw new UsageError("--timeout takes whole seconds, 1 or more.");
}
