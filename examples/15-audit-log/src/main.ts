import { createTables, openStorage, TableContext } from "@partita/core";
import { latest, partitionsOf, removeMonth } from "./audit-log.ts";
import { AuditEntry } from "./model.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [AuditEntry]);

// Two years of a busy tenant with four entries a day, and a tenant that was active in two months only.
await using writer = new TableContext(storage);
const start = Date.UTC(2025, 0);
const [hour, day] = [3_600_000, 86_400_000];
for (let n = 0; n < 4 * 730; n++)
  writer.create(AuditEntry, {
    tenant: "acme",
    at: new Date(start + Math.floor(n / 4) * day + (n % 4) * 6 * hour),
    user: `user-${n % 17}`,
    action: n % 5 === 0 ? "sign in" : "edit",
  });
for (const month of [0, 20])
  for (let n = 0; n < 60; n++) {
    const at = new Date(Date.UTC(2025, month, 1, n));
    writer.create(AuditEntry, { tenant: "beta", at, user: `user-${n % 17}`, action: "edit" });
  }
await writer.saveChanges();

// The same 50 entries for any period, because only the newest slices are read.
const to = new Date(Date.UTC(2027, 0));
const since = (years: number, months: number): Date => new Date(Date.UTC(2027 - years, -months));
for (const tenant of ["acme", "beta"]) {
  for (const [period, from] of [
    ["a month", since(0, 1)],
    ["a year", since(1, 0)],
    ["ten years", since(10, 0)],
  ] as const) {
    const { value, requests } = await latest(storage, { tenant, from, to });
    console.log(`${tenant}, latest 50 of ${period}: ${value.length} found, ${requests} requests`);
  }
  const { value, requests } = await latest(storage, { tenant });
  console.log(`${tenant}, latest 50 of all: ${value.length} found, ${requests} requests`);
}
await using reader = new TableContext(storage);
const query = reader.query(AuditEntry).where({ tenant: "acme" }).inRowKeyOrder();
console.log(query.take(50).explain().merge);

// Retention: deletes the oldest month without reading other months.
const before = await partitionsOf(storage, "acme");
const { value: removed, requests: sent } = await removeMonth(storage, "acme", new Date(start));
const after = await partitionsOf(storage, "acme");
console.log(`Retention: ${removed} entries removed by ${sent} requests`);
console.log(`Partitions of acme: ${before.value.length} before, ${after.value.length} after`);
