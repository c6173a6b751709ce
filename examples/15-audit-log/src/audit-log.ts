// The queries of the log, each with the number of its requests.
import { type TableStorage, TableContext } from "@partita/core";
import { AuditEntry } from "./model.ts";

/** A period of a tenant's log. Without an end, up to its latest entry. */
export interface Period {
  readonly tenant: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** A result, and the number of requests for it. */
export interface Answer<Value> {
  readonly value: Value;
  readonly requests: number;
}

/** The latest entries of a tenant, the latest first. */
export const latest = (
  storage: TableStorage,
  { tenant, from, to }: Period,
  count: number = 50,
): Promise<Answer<AuditEntry[]>> =>
  counted(storage, async (context) => {
    let entries = context.query(AuditEntry).where({ tenant }).inRowKeyOrder();
    if (from !== undefined) entries = entries.where((entry) => entry.at.ge(from));
    if (to !== undefined) entries = entries.where((entry) => entry.at.lt(to));
    return entries.take(count).toArray();
  });

/** The partitions of a tenant that have entries: `acme!7973_09!01`. */
export const partitionsOf = (storage: TableStorage, tenant: string): Promise<Answer<string[]>> =>
  counted(storage, async (context) => {
    const found: string[] = [];
    for await (const partition of context.partitions(AuditEntry, { tenant })) found.push(partition);
    return found;
  });

/** Deletes a tenant's entries of the month that starts at `from`. */
export const removeMonth = (storage: TableStorage, tenant: string, from: Date): Promise<Answer<number>> =>
  counted(storage, async (context) => {
    const next = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
    const entries = context.query(AuditEntry).where({ tenant });
    const { written } = await entries.where((entry) => [entry.at.ge(from), entry.at.lt(next)]).removeAll();
    return written;
  });

async function counted<Value>(
  storage: TableStorage,
  ask: (context: TableContext) => Promise<Value>,
): Promise<Answer<Value>> {
  let requests = 0;
  const hooks = { sending: () => void requests++ };
  await using context = new TableContext(storage, { hooks, mergeOption: "noTracking" });
  const value = await ask(context);
  return { value, requests };
}
