// A process of its own: copies a table, and kills itself at a request of its own count.
import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { copyTable } from "../../src/index.ts";

/** Both storages, a request by its number, counted from 1, and whether it is carried out before the process dies. */
const [source = "", target = "", lastRequest = "0", isCarriedOut = "false"] = process.argv.slice(2);
const last = Number(lastRequest);
let count = 0;

const open = (place: string): Promise<TableStorage> =>
  place.startsWith("file:")
    ? openStorage(place, { busyTimeoutMs: 600_000, durability: "normal" })
    : openStorage(place);

await using from = await open(source);
await using to = await open(target);
await copyTable(dying(from), dying(to), "Rows", { concurrency: 2, claimTimeoutMs: 300 });

/** The same storage until the last request of the process; 0 means never. */
function dying(inner: TableStorage): TableStorage {
  const counted = async <Result>(request: () => Promise<Result>): Promise<Result> => {
    const isLast = ++count === last;
    // A request that fails, such as one for a table that is there, is carried out, too.
    if (isLast && isCarriedOut === "true") await request().catch(() => undefined);
    if (isLast) process.kill(process.pid, "SIGKILL");
    return request();
  };
  return forwardStorage(inner, {
    query: (...call) => counted(() => inner.query(...call)),
    get: (...call) => counted(() => inner.get(...call)),
    write: (...call) => counted(() => inner.write(...call)),
    transact: (...call) => counted(() => inner.transact(...call)),
    createTable: (...call) => counted(() => inner.createTable(...call)),
  });
}
