// A table server over PostgreSQL, which a test kills. Arguments: the target, the account's key, and the port.

import { startTableServer } from "@partita/server";
import { openPostgres } from "../src/index.ts";

const [target = "", key = "", port = "0"] = process.argv.slice(2);
const storage = await openPostgres(target, { maxConnections: 16 });
const server = await startTableServer({ storage, key, port: Number(port) });
process.stdout.write(`${server.port}\n`);
