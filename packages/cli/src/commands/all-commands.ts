import type { Declare } from "../command-line.ts";
import { backup } from "./backup.ts";
import { census } from "./census.ts";
import { compact } from "./compact.ts";
import { completions } from "./completions.ts";
import { copy } from "./copy.ts";
import { count } from "./count.ts";
import { createTable } from "./create-table.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { dropTable } from "./drop-table.ts";
import { exportCommand } from "./export.ts";
import { files } from "./files.ts";
import { generate } from "./generate.ts";
import { get } from "./get.ts";
import { help } from "./help.ts";
import { heat } from "./heat.ts";
import { importCommand } from "./import.ts";
import { index } from "./index-command.ts";
import { moveRows } from "./move-rows.ts";
import { pageRanges } from "./page-ranges.ts";
import { patterns } from "./patterns.ts";
import { postgres } from "./postgres.ts";
import { put } from "./put.ts";
import { query } from "./query.ts";
import { releaseCheck } from "./release-check.ts";
import { restore } from "./restore.ts";
import { rm } from "./rm.ts";
import { serve } from "./serve.ts";
import { set } from "./set.ts";
import { snapshotModel } from "./snapshot-model.ts";
import { stress } from "./stress.ts";
import { studio } from "./studio.ts";
import { tables } from "./tables.ts";
import { upgrade } from "./upgrade.ts";
import { verify } from "./verify.ts";

/** The commands, in groups and in the order of the help. To add one, write its file and a line here. */
export const allCommands: Readonly<Record<string, readonly Declare[]>> = {
  "Rows:": [count, query, get, put, set, rm],
  "Tables:": [tables, createTable, dropTable],
  "Moving rows:": [copy, exportCommand, importCommand, backup, restore],
  "Models:": [
    generate,
    diff,
    census,
    upgrade,
    moveRows,
    index,
    snapshotModel,
    releaseCheck,
    patterns,
    stress,
    doctor,
  ],
  "Storages:": [studio, files, serve, verify, compact, heat, postgres, pageRanges],
  "The command:": [help, completions],
};
