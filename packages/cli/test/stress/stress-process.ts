import { join } from "node:path";
import { startTableServer } from "@partita/server";
import { runCommand } from "../../src/index.ts";
import { clock } from "./throttled-load.ts";

// Runs `partita stress` against a server of this process, so that both go by one clock: `node stress-process.ts --target 400`.

const server = await startTableServer({ throttle: 500, clock });
const module = join(import.meta.dirname, "throttled-load.ts");
const code = await runCommand([
  "stress",
  module,
  "--storage",
  server.connectionString,
  ...process.argv.slice(2),
]);
await server.close();
process.exit(code);
