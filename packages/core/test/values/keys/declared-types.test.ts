import {
  constant,
  descending,
  escaped,
  newestFirst,
  padded,
  padded64,
  ulid,
  verbatim,
} from "@partita/core/keys";
import { guid } from "@partita/core";
import { expect, test } from "vitest";

test("a key format declares the EDM type of its values, by their range", () => {
  const types = [
    padded(9),
    padded(10),
    padded(10, { offset: 2 ** 40 }),
    padded(9, { signed: true }),
    padded64(5),
    descending(padded(10)),
    constant("BIB:", padded(12)),
    newestFirst,
    newestFirst({ ticks: true }),
    guid,
  ].map(({ edm }) => edm);

  expect(types).toEqual([
    "Edm.Int32",
    "Edm.Int64",
    "Edm.Int64",
    "Edm.Int32",
    "Edm.Int64",
    "Edm.Int64",
    "Edm.Int64",
    "Edm.DateTime",
    "Edm.DateTime",
    "Edm.Guid",
  ]);
  expect([escaped, verbatim, ulid, constant("a")].map(({ edm }) => edm)).toEqual(Array(4).fill(undefined));
});
