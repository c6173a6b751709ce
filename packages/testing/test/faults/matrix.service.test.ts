import { afterAll, describe, expect, test } from "vitest";
import { faults } from "../../src/index.ts";
import {
  type Cell,
  cells,
  isFalseCommitted,
  isFalseRejected,
  printMatrix,
  runDataTables,
  runPartita,
  serverBench,
  storageBench,
} from "./matrix.ts";

const all: Record<string, readonly Cell[]> = {};
afterAll(() => {
  console.log(printMatrix(all));
});

/** The service ends a request within its time: until then, what has no condition may be carried out late. */
function checkTruth(found: readonly Cell[]): void {
  expect(found).toHaveLength(10 * cells.length);
  expect(found.filter(isFalseCommitted)).toEqual([]);
  expect(found.filter(isFalseRejected)).toEqual([]);
  // Once the fault is over, everything can be found out.
  expect(found.filter(({ toldLater }) => toldLater === "unknown")).toEqual([]);
}

test("there are 14 faults at 3 places, and their late variants", () => {
  expect(cells).toHaveLength(14 * 4);
  expect(cells.filter(({ place }) => place !== "late")).toHaveLength(42);
  expect(faults).toHaveLength(14 * 4 - 2 * 3);
});

describe.each([
  ["a storage", storageBench, true],
  ["a server's sockets", serverBench, false],
] as const)("10 writes x 14 faults x 4 places over %s", (name, open, tellsUnsent) => {
  test("one fault: no false word, and unknown only without a condition", async () => {
    const { bench, storage } = await open();
    const found = await runPartita(bench, storage, { everything: false });
    all[`Partita over ${name}`] = found;

    checkTruth(found);
    expect(found.filter(({ told, isFenced }) => told === "unknown" && isFenced)).toEqual([]);
  });

  test("everything fails: no false word, and all is found out once it is over", async () => {
    const { bench, storage } = await open();
    const found = await runPartita(bench, storage, { everything: true });

    checkTruth(found);
    // What certainly never left is known not to be stored; a server cannot but close the connection.
    const isNeverSent = ({ kind, place }: Cell): boolean =>
      tellsUnsent && (kind === "refused" || kind === "unsent") && place === "sending";
    expect(found.filter((cell) => isNeverSent(cell) && cell.told !== "rejected")).toEqual([]);
    expect(found.filter((cell) => !isNeverSent(cell) && cell.told === "rejected")).toEqual([]);
  });
});

test("the official client over the same sockets, for comparison", async () => {
  const { bench, server } = await serverBench();
  const found = await runDataTables(bench, server);
  all["@azure/data-tables"] = found;

  // The matrix finds what it is made to find.
  expect(found.filter(isFalseRejected).length).toBeGreaterThan(20);
});
