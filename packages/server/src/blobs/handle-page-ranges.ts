import { xmlDeclaration } from "@partita/core/protocol";
import { numberIn } from "../wire/query-numbers.ts";
import type { ProtocolResponse, ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { xmlResponse } from "../wire/xml-document.ts";
import { blobHeaders, checkConditions } from "./blob-headers.ts";
import type { BlobResource } from "./blob-resource.ts";
import type { BlobService } from "./blob-service.ts";
import { pageBytes, type StoredBlob } from "./blob-store.ts";
import type { ByteRange } from "./page-map.ts";
import { rangeOf } from "./range-header.ts";

/**
 * From this version on, lists are split into parts with at most this many ranges. Source: learn.microsoft.com "Get Page
 * Ranges".
 */
const [partsVersion, maxPart] = ["2020-10-02", 10_000];

/** Lists the written pages of a blob, or of a range in it. */
export function readPageRanges(
  { query, header, version }: ProtocolRequest<BlobResource>,
  blob: StoredBlob,
  { maxRangesPerResponse }: BlobService,
): ProtocolResponse {
  checkConditions(blob, header);
  const hasParts = version >= partsVersion;
  const asked = hasParts
    ? numberIn(query, "maxresults", { least: 1, most: Number.MAX_SAFE_INTEGER })
    : undefined;
  const limit = hasParts ? Math.min(asked ?? maxPart, maxPart) : Number.POSITIVE_INFINITY;
  const range = askedRange(rangeOf(header), markerOf(query, hasParts), blob.size);
  const count = blob.pages.count(range);
  if (Math.min(count, limit) > maxRangesPerResponse) throw new ServiceFault("OperationTimedOut");
  const found = blob.pages.ranges(range, limit);
  const next = count > limit ? found.at(-1)?.end : undefined;
  const marker = hasParts ? `<NextMarker>${next === undefined ? "" : next + 1}</NextMarker>` : "";
  const response = xmlResponse(
    `${xmlDeclaration}<PageList>${found.map(elementOf).join("")}${marker}</PageList>`,
  );
  return {
    ...response,
    headers: { ...response.headers, ...blobHeaders(blob), "x-ms-blob-content-length": String(blob.size) },
  };
}

const elementOf = ({ start, end }: ByteRange): string =>
  `<PageRange><Start>${start}</Start><End>${end}</End></PageRange>`;

/** The start of the next part of a list: the first byte after the part before it. */
function markerOf(query: ReadonlyMap<string, string>, hasParts: boolean): number {
  const marker = (hasParts ? query.get("marker") : undefined) ?? "";
  if (!/^\d{0,15}$/.test(marker)) throw new ServiceFault("InvalidMarker");
  return Number(marker);
}

/** The requested range, as whole pages within the blob. @throws ServiceFault `InvalidRange` */
function askedRange(range: ByteRange | undefined, marker: number, size: number): ByteRange {
  if (range !== undefined && range.start >= size) throw new ServiceFault("InvalidRange");
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const first = Math.max(start - (start % pageBytes), marker);
  return { start: first, end: Math.min(Math.ceil((end + 1) / pageBytes) * pageBytes, size) - 1 };
}
