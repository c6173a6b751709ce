import type { StoredEntity } from "@partita/core/storage";
import { assumes, type Finding, type Probe, reports } from "./probe.ts";

// The ETag of a row is its Timestamp. The Date of a response is the time of its rows or slightly later, in
// full seconds. The library uses it to decide which rows are old enough to be deleted.

const writes = 20;

export const etagsAndDates: Probe = {
  name: "ETags and dates",
  async measure({ storage, table, raw, isCosmos }) {
    const rows: StoredEntity[] = [];
    const offsets: number[] = [];
    for (let i = 0; i < writes; i++) {
      const key = { partitionKey: "p", rowKey: `r${i}` };
      await storage.write(table, { type: "insert", entity: { PartitionKey: "p", RowKey: key.rowKey } });
      const row = (await storage.get(table, key)) as StoredEntity;
      rows.push(row);
      const reached = storage.reachedTime?.();
      if (reached !== undefined) offsets.push(reached - Date.parse(String(row.Timestamp)));
    }
    const etags = rows.map((row) => timeIn(row["odata.etag"]));
    const areTimes = etags.every((time, i) => time === rows[i]?.Timestamp);
    return [
      isCosmos ? reports("ETags are Timestamps", areTimes) : assumes("ETags are Timestamps", areTimes, true),
      reports("milliseconds from a Timestamp to the Date of the response, least and most", rangeOf(offsets)),
      ...(await headersOf(raw)),
    ];
  },
};

const rangeOf = (values: readonly number[]): readonly number[] =>
  values.length === 0 ? [] : [Math.min(...values), Math.max(...values)];

const timeIn = (etag: string | undefined): string | undefined => {
  const text = /datetime'(.+)'/.exec(etag ?? "")?.[1];
  return text === undefined ? undefined : decodeURIComponent(text);
};

/** The headers of a response that repeat those of its request, also for refusals. */
async function headersOf(raw: Parameters<Probe["measure"]>[0]["raw"]): Promise<readonly Finding[]> {
  if (raw === undefined) return [];
  const findings: Finding[] = [];
  for (const [version, isEchoed] of [
    ["2018-03-28", false],
    ["2019-02-02", true],
  ] as const) {
    const headers = { "x-ms-version": version, "x-ms-client-request-id": "partita-probe" };
    const response = await raw("/NoSuchTable()", {}, headers);
    findings.push(
      assumes(`${version}: a refusal contains the version`, response.headers.get("x-ms-version"), version),
      assumes(
        `${version}: the client's id is returned`,
        response.headers.has("x-ms-client-request-id"),
        isEchoed,
      ),
    );
  }
  const own = Date.now();
  const { headers } = await raw("/Tables");
  const date = Date.parse(headers.get("date") ?? "");
  return [
    ...findings,
    reports("milliseconds that this machine's clock is ahead of the service's", own - date),
  ];
}
