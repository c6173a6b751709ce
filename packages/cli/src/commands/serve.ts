import type { CommandLine } from "../command-line.ts";
import { port, wholeNumber } from "../session/option-values.ts";

export function serve(program: CommandLine): void {
  program
    .command("serve")
    .summary("Serves tables and queues over a storage.")
    .description(
      "Serves the REST protocols of Azure Table Storage and Azure Queue Storage over a storage: a file, memory (the default), or another service.",
    )
    .option("--storage <storage>", "file:tables.db, memory: or a connection string.")
    .option("--port <n>", "10002 by default; 0 takes a free one.", port("--port"))
    .option("--account <name>", "The account's name: the emulator's by default.")
    .option("--key <base64>", "The account's key: the emulator's by default.")
    .option("--host <address>", "127.0.0.1 by default, which other machines do not reach.")
    .option("--tls-cert <cert.pem>", "A certificate, for a host that other machines reach.")
    .option("--tls-key <key.pem>", "Its private key.")
    .option("--allow-http", "Serves such a host without a certificate, for a network that is yours alone.")
    .option(
      "--throttle <n>",
      "Answers what a partition is asked beyond n entities a second with 503 ServerBusy.",
      wholeNumber("--throttle"),
    )
    .option(
      "--queue-port <n>",
      "The port of queues: 10001, or a free one where --port is not the emulator's.",
      port("--queue-port"),
    )
    .option("--no-queues", "Leaves queues out.")
    .notes(
      "Without --account and --key it is the emulator's account, which every client knows as UseDevelopmentStorage=true. A",
      "--host that other machines reach needs a --key of its own, and a certificate or --allow-http.",
      "It ends with SIGINT or SIGTERM. The last line it prints once it is ready is",
      "    Ready host=127.0.0.1 port=10002 url=http://127.0.0.1:10002/devstoreaccount1",
    )
    .does(async (args, options) => (await import("../serve/serve.ts")).serve(args, options));
}
