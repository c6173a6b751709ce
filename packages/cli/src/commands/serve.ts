import type { CommandLine } from "../command-line.ts";
import { port, wholeNumber } from "../session/option-values.ts";

export function serve(program: CommandLine): void {
  program
    .command("serve")
    .summary("Serve a storage as tables and queues.")
    .description(
      "Serve the REST protocols of Azure Table Storage and Azure Queue Storage from a storage: a file, memory (default), PostgreSQL, or another service.",
    )
    .option(
      "--storage <storage>",
      "file:tables.db, memory:, postgres://user@host/database or a connection string.",
    )
    .option("--port <n>", "Default 10002. With 0, a free port.", port("--port"))
    .option("--account <name>", "Account name. Default: that of the emulator.")
    .option("--key <base64>", "Account key. Default: that of the emulator.")
    .option("--host <address>", "Address to listen on. Default 127.0.0.1, which other machines cannot reach.")
    .option("--tls-cert <cert.pem>", "Certificate for a host that other machines can reach.")
    .option("--tls-key <key.pem>", "Private key of the certificate.")
    .option("--allow-http", "Allow such a host without a certificate, on a private network.")
    .option(
      "--throttle <n>",
      "Respond with 503 ServerBusy if requests to a partition exceed n entities a second. Each server counts for itself.",
      wholeNumber("--throttle"),
    )
    .option(
      "--drain-ms <n>",
      "After a signal, still accept requests for n milliseconds while /health responds with 503. Default 0.",
      wholeNumber("--drain-ms", 0, 600_000),
    )
    .option(
      "--queue-port <n>",
      "Port of queues. Default 10001, or a free port if --port is not the emulator's.",
      port("--queue-port"),
    )
    .option("--no-queues", "Serve no queues.")
    .examples("partita serve --storage file:places.db --port 0")
    .notes(
      "Without --account and --key, clients connect with UseDevelopmentStorage=true, the account of the emulator. A --host that",
      "other machines can reach needs its own --key, and a certificate or --allow-http.",
      "Several servers can share a storage. GET /health responds with 200 or 503, without a key.",
      "Stop it with SIGINT or SIGTERM. When it is ready, it prints this last line:",
      "    Ready host=127.0.0.1 port=10002 url=http://127.0.0.1:10002/devstoreaccount1",
    )
    .does(async (args, options) => (await import("../serve/serve.ts")).serve(args, options));
}
