// A process of its own: writes, moves or reclaims files, and kills itself at a request of its own count.
import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { tableFiles } from "../src/index.ts";

const [path = "", work = "", lastRequest = "0", isCarriedOut = "false", daysLater = "0"] =
  process.argv.slice(2);

const offset = Number(daysLater) * 86_400_000;
const clock = {
  now: () => Date.now() + offset,
  wait: (ms: number) => new Promise<void>((go) => setTimeout(go, ms)),
};
await using storage = await openStorage(`file:${path}`);
const files = tableFiles(dyingAt(storage, Number(lastRequest)), {
  name: "Docs",
  blockSize: 1000,
  clock,
  zones: { "/": { keepDeletedMs: 0 } },
});
if (work === "write") await files.write("/a", "new ".repeat(50_000));
if (work === "move") await files.move("/a", "/b");
if (work === "reclaim") await files.reclaim({ claimTimeoutMs: 400, concurrency: 1 });

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
  });
}
