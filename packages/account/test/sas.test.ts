import { expect, test } from "vitest";
import { accountSas, tableSas } from "../src/index.ts";

const shared = { accountName: "acct", accountKey: Buffer.from("the key of these tests").toString("base64") };
const expiresAt = new Date("2027-01-01T00:00:00Z");

test.each([
  { table: "Things" },
  { table: "Things", permissions: "rx", expiresAt },
  { table: "Things", permissions: "r", expiresAt, startRowKey: "a" },
  { table: "Things", permissions: "r", expiresAt, startsAt: expiresAt },
  { table: "Things", permissions: "r", expiresAt: new Date(Number.NaN) },
])("signatures that contradict themselves are not made: %j", (options) => {
  expect(() => tableSas(shared, options)).toThrow(expect.objectContaining({ code: "storage.sas" }) as Error);
});

test("a table's signature names its table, its permissions in the service's order, and its key range", () => {
  const sas = new URLSearchParams(
    tableSas(shared, { table: "Things", permissions: "ar", expiresAt, startPartitionKey: "a" }),
  );

  sas.delete("sig");
  expect(Object.fromEntries(sas)).toEqual({
    sv: "2019-02-02",
    tn: "Things",
    sp: "ra",
    se: "2027-01-01T00:00:00Z",
    spr: "https",
    spk: "a",
  });
});

test("an account's signature covers tables and all types of resources", () => {
  const sas = new URLSearchParams(accountSas(shared, { permissions: "lr", expiresAt }));

  expect(sas.get("ss")).toBe("t");
  expect(sas.get("srt")).toBe("sco");
  expect(sas.get("sp")).toBe("rl");
});
