import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { queueSas, type QueueSasOptions } from "../../src/index.ts";
import { accountSas } from "@partita/account";

const accountKey = Buffer.alloc(64, 7).toString("base64");
const shared = { accountName: "acct", accountKey };
const expiresAt = new Date("2026-11-22T12:00:00Z");
const signatureOf = (lines: readonly string[]): string =>
  createHmac("sha256", Buffer.alloc(64, 7)).update(lines.join("\n")).digest("base64");

test("a queue's signature signs its permissions in order, its time, its queue and what limits it", () => {
  const startsAt = new Date("2026-11-22T11:00:00Z");
  const sas = queueSas(shared, {
    queue: "orders",
    permissions: "pra",
    startsAt,
    expiresAt,
    policy: "p1",
    ipRange: "1.2.3.4",
    protocol: "https,http",
    version: "2020-12-06",
  });

  expect(Object.fromEntries(new URLSearchParams(sas))).toEqual({
    sv: "2020-12-06",
    sp: "rap",
    st: "2026-11-22T11:00:00Z",
    se: "2026-11-22T12:00:00Z",
    sip: "1.2.3.4",
    spr: "https,http",
    si: "p1",
    sig: signatureOf([
      "rap",
      "2026-11-22T11:00:00Z",
      "2026-11-22T12:00:00Z",
      "/queue/acct/orders",
      "p1",
      "1.2.3.4",
      "https,http",
      "2020-12-06",
    ]),
  });
});

test("an account's signature may be for one service or for several", () => {
  const servicesOf = (services?: string): string | null =>
    new URLSearchParams(
      accountSas(shared, { permissions: "rwdlacup", expiresAt, ...(services && { services }) }),
    ).get("ss");

  expect([servicesOf(), servicesOf("q"), servicesOf("tqb")]).toEqual(["t", "q", "bqt"]);
  expect(() => servicesOf("f")).toThrow(/letters of "bqt"/);
});

test.each<[string, Partial<QueueSasOptions>, string, RegExp]>([
  ["no queue's name", { queue: "Orders" }, "queue.name", /not a valid queue name/],
  ["neither permissions nor a policy", { permissions: undefined }, "storage.sas", /needs permissions/],
  ["neither a time nor a policy", { expiresAt: undefined }, "storage.sas", /expiresAt/],
  ["permissions of tables", { permissions: "rd" }, "storage.sas", /letters of "raup"/],
  ["an end before its beginning", { startsAt: new Date("2027-01-01") }, "storage.sas", /before expiresAt/],
])("%s is refused", (_what, options, code, message) => {
  const make = (): string => queueSas(shared, { queue: "orders", permissions: "r", expiresAt, ...options });

  expect(make).toThrow(expect.objectContaining({ code }));
  expect(make).toThrow(message);
});
