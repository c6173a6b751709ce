// A process of its own: takes part in building an index, and kills itself at a request of its own count.
import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { buildIndex } from "../../src/index.ts";
import { BuildingRunner, withSmallPages } from "./runners.ts";

/** A request by its number, counted from 1, and whether it is carried out before the process dies. */
const [path = "", index = "", lastRequest = "0", isCarriedOut = "false"] = process.argv.slice(2);

await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
const { verification } = await buildIndex(
  dyingAt(withSmallPages(storage), Number(lastRequest)),
  BuildingRunner,
  index as "byAge",
  { concurrency: 2, claimTimeoutMs: 400 },
);
const { missing, extra, different, isClean } = verification;
process.stdout.write(JSON.stringify({ missing, extra, different, isClean }));

/** The same storage until its last request; 0 means never. */
function dyingAt(inner: TableStorage, last: number): TableStorage {
  let count = 0;
  const counted = async <Result>(request: () => Promise<Result>): Promise<Result> => {
    const isLast = ++count === last;
    if (isLast && isCarriedOut === "true") await request();
    if (isLast) process.kill(process.pid, "SIGKILL");
    return request();
  };
  return forwardStorage(inner, {
    query: (table, query, options) => counted(() => inner.query(table, query, options)),
    get: (table, key, options) => counted(() => inner.get(table, key, options)),
    write: (table, operation, options) => counted(() => inner.write(table, operation, options)),
    transact: (table, operations, options) => counted(() => inner.transact(table, operations, options)),
    createTable: (table, options) => counted(() => inner.createTable(table, options)),
  });
}
