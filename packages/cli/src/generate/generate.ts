import { writeFile } from "node:fs/promises";
import type { TableStorage } from "@partita/core";
import { checkOutput } from "../disk/named-file.ts";
import { CommandError, inSession, type Session } from "../session/session.ts";
import { openTarget } from "../storage/open-target.ts";
import { printable } from "../terminal/printable.ts";
import { checkClasses } from "./check-classes.ts";
import { type ClassGuess, guessClasses } from "./class-guess.ts";
import { freeName } from "./names.ts";
import { type Form, printModule } from "./print-classes.ts";
import { sampleTable, tablesOf } from "./sample-table.ts";

/** Options of the command line. */
export interface GenerateOptions {
  readonly form?: Form;
  readonly rows?: number;
  readonly output?: string;
  readonly force?: boolean;
}

/** `partita generate`: prints classes for existing tables. Returns the exit code. */
export function generate(
  [target = "", ...tables]: readonly string[],
  { form = "define-entity", rows = 20_000, output, force = false }: GenerateOptions,
): Promise<number> {
  if (output !== undefined) checkOutput(output, force);
  return inSession(async (session) => {
    await using storage = await openTarget(target);
    const { classes, isSound } = await classesOf(storage, tables, rows, session);
    if (classes.length === 0) throw new CommandError("There are no rows to generate classes from.");
    const text = printModule(classes, form, printable(storage.description));
    if (output === undefined) await session.out.write(text);
    else {
      // Another command may have written it meanwhile.
      checkOutput(output, force);
      await writeFile(output, text);
      session.say(`Wrote ${output}.`);
    }
    return isSound ? 0 : 1;
  });
}

async function classesOf(
  storage: TableStorage,
  asked: readonly string[],
  most: number,
  { signal, say }: Session,
): Promise<{ readonly classes: readonly ClassGuess[]; readonly isSound: boolean }> {
  const names = new Set<string>();
  const all: ClassGuess[] = [];
  let isSound = true;
  for (const table of await tablesOf(storage, asked, signal)) {
    const { rows, isComplete } = await sampleTable(storage, table, most, signal);
    if (rows.length === 0) {
      say(`${table}: no rows, so no class.`);
      continue;
    }
    const classes = guessClasses(table, rows).map((each) => ({ ...each, name: freeName(each.name, names) }));
    all.push(...classes);
    const { read, problem } = await checkClasses(storage, classes, signal);
    const seen = `${rows.length.toLocaleString("en")} ${isComplete ? "rows" : "rows, from the first (--rows reads more)"}`;
    say(`${table}: ${seen}; ${classes.map(about).join("; ")}.`);
    if (problem === undefined) say(`  The classes read all ${read.toLocaleString("en")} of them.`);
    else {
      isSound = false;
      say(`  The classes do not read all of them: ${printable(problem)}`);
    }
  }
  return { classes: all, isSound };
}

/** A short description of a class: its discriminator and its keys. */
function about({ name, kind, partitionKey, rowKey, rows }: ClassGuess): string {
  const keys = [partitionKey, rowKey].map(
    ({ parts }) => parts.map(({ code }) => code).join(", ") || "the kind's name",
  );
  return `${name}${knownBy(kind)} (${rows.length.toLocaleString("en")}; PartitionKey ${keys[0]}; RowKey ${keys[1]})`;
}

function knownBy(kind: ClassGuess["kind"]): string {
  if (kind === undefined) return "";
  if (kind.storedIn !== undefined) return ` by ${kind.storedIn}`;
  if (kind.partition === undefined) return "by the prefix of the RowKey";
  return kind.partition.separator === "" ? " by PartitionKey" : " by the prefix of the PartitionKey";
}
