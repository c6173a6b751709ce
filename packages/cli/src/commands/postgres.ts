import type { CommandLine } from "../command-line.ts";
import { exitCodes } from "./shared.ts";

const call = "partita postgres init postgres://owner@localhost/shop --grant-to app";

export function postgres(program: CommandLine): void {
  const group = program
    .command("postgres")
    .summary("Set up a PostgreSQL database.")
    .description("Set up a PostgreSQL database as a storage.")
    .examples(call);
  group
    .command("init")
    .description("Create the schema for tables in a database, or upgrade it. Rows are not changed.")
    .argument("<storage>", "postgres://owner@host/database, env:NAME, or a name of partita.config.json.")
    .option("--grant-to <role>", "Print the SQL statements for a role that reads and writes rows.")
    .examples(call)
    .notes(
      "The role of <storage> needs the right to create schemas. Your application can use another role: the statements of",
      "--grant-to let it use all tables, but not change the schema. Run them as the owner, for example with psql.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../postgres/init.ts")).init(args, options));
}
