import { isFull } from "@partita/test-support/effort";
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
import { type Proof, proofs } from "./operations.ts";

const all: Record<string, readonly Cell[]> = {};
afterAll(() => {
  console.log(printMatrix(all));
});

/** Nothing that is told is wrong, and everything is found out but who removed a row. */
function checkTruth(found: readonly Cell[], proof: Proof): void {
  expect(found).toHaveLength(10 * cells.length);
  expect(found.filter(isFalseCommitted)).toEqual([]);
  expect(found.filter(isFalseRejected)).toEqual([]);
  // Once the fault is over, everything can be found out; who removed a row, by its marker only.
  const isOpen = ({ toldLater, removes }: Cell): boolean =>
    toldLater === "unknown" && !(removes && proof !== "marker");
  expect(found.filter(isOpen)).toEqual([]);
}

test("there are 14 faults at 3 places, and their late variants", () => {
  expect(cells).toHaveLength(14 * 4);
  expect(cells.filter(({ place }) => place !== "late")).toHaveLength(42);
  expect(faults).toHaveLength(14 * 4 - 2 * 3);
});

describe.each([
  ["a storage", storageBench, true],
  ...(isFull ? ([["a server's sockets", serverBench, false]] as const) : []),
] as const)("10 writes x 14 faults x 4 places over %s", (name, open, tellsUnsent) => {
  test.each(proofs)(
    "one fault, proof by %s: no false word, and unknown only without a condition",
    async (proof) => {
      const { bench, storage } = await open();
      const found = await runPartita(bench, storage, { everything: false, proof });
      all[`Partita over ${name}, ${proof}`] = found;

      checkTruth(found, proof);
      const isUnknown = ({ reported, isFenced, removes }: Cell): boolean =>
        reported === "unknown" && (isFenced || proof === "marker") && !(removes && proof !== "marker");
      expect(found.filter(isUnknown)).toEqual([]);
    },
  );

  test.each(proofs)("everything fails, in two saves, proof by %s: no false word", async (proof) => {
    const { bench, storage } = await open();
    const found = await runPartita(bench, storage, { everything: true, proof, saves: 2 });

    checkTruth(found, proof);
    // What certainly never left is known not to be stored; a server cannot but close the connection.
    const isNeverSent = ({ kind, place }: Cell): boolean =>
      tellsUnsent && (kind === "refused" || kind === "unsent") && place === "sending";
    expect(found.filter((cell) => isNeverSent(cell) && cell.reported !== "rejected")).toEqual([]);
    expect(found.filter((cell) => !isNeverSent(cell) && cell.reported === "rejected")).toEqual([]);
  });

  test.each(proofs)(
    "a fault, and a second save that is refused a connection, proof by %s: no false word",
    async (proof) => {
      const { bench, storage } = await open();
      const found = await runPartita(bench, storage, { everything: false, proof, saves: 2 });
      expect(found).toHaveLength(10 * cells.length);

      checkTruth(found, proof);
    },
  );
});

test.runIf(isFull)("the official client over the same sockets, for comparison", async () => {
  const { bench, server } = await serverBench();
  const found = await runDataTables(bench, server);
  all["@azure/data-tables"] = found;

  // The matrix finds what it is made to find.
  expect(found.filter(isFalseRejected).length).toBeGreaterThan(20);
});
