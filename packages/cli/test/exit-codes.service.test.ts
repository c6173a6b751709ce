import { once } from "node:events";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createTables, defineEntity, openStorage, TableContext, text } from "@partita/core";
import { padded } from "@partita/core/keys";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { CommandLine } from "../src/command-line.ts";
import { program } from "../src/program.ts";
import { published } from "./published.ts";
import { run, runUntilStopped } from "./run.ts";

/*
 * One call of each command that succeeds. The other cases replace one of these words by a missing file, a table that
 * does not exist, or a storage that cannot be reached.
 */
const [storage, database, model, table, input, output] = [
  "<storage>",
  "<database>",
  "<module>",
  "<table>",
  "<input>",
  "<output>",
];

interface Call {
  readonly args: readonly string[];
  /** The exit code without a fault, if it is not 0. */
  readonly code?: number;
  /** Why the call is left out: another test makes it. */
  readonly elsewhere?: string;
  /** Whether it creates a missing storage or table. */
  readonly creates?: true;
}

const rows = "PartitionKey eq 'b'";
const aRow = '{"PartitionKey":"b","RowKey":"x"}';

const calls: Readonly<Record<string, Call>> = {
  count: { args: [storage, table] },
  query: { args: [storage, table, "--filter", rows] },
  get: { args: [storage, table, "b", "001"] },
  put: { args: [storage, table, aRow] },
  set: { args: [storage, table, "title=t", "--filter", rows, "--yes"] },
  rm: { args: [storage, table, "--filter", rows, "--yes"] },
  heat: { args: [storage, table] },
  tables: { args: [storage] },
  "create-table": { args: [storage, "Others"], creates: true },
  "drop-table": { args: [storage, table, "--yes"] },
  copy: { args: [storage, "file:copy.db", table] },
  export: { args: [storage, table, "-o", output] },
  import: { args: [storage, "Others", input], creates: true },
  backup: { args: [storage, output] },
  restore: { args: [storage, "backup", "--existing", "replace"], creates: true },
  generate: { args: [storage, table] },
  diff: { args: [model, storage] },
  census: { args: [model, storage] },
  upgrade: { args: [model, storage] },
  "move-rows": { args: [model, storage, "--from", "Note", "--to", "Wide"] },
  "index build": { args: [model, storage, "byTitle"] },
  "index verify": { args: [model, storage], code: 1 },
  "index drop": { args: [model, storage, "byTitle"] },
  "snapshot-model": { args: [model] },
  "release-check": { args: [model, model, "--histories", "2"] },
  patterns: { args: [model] },
  stress: { args: [model, "--storage", "memory:", "--seconds", "1", "--from", "1", "--to", "2"] },
  doctor: { args: ["."], elsewhere: "doctor/doctor.service.test.ts" },
  studio: { args: [storage] },
  "files ls": { args: [storage] },
  "files put": { args: [storage, input, "/a"] },
  "files get": { args: [storage, "/a", output], code: 1 },
  "files cat": { args: [storage, "/a"], code: 1 },
  "files tail": { args: [storage, "/a"], code: 1 },
  "files rm": { args: [storage, "/a"], code: 1 },
  "files stat": { args: [storage, "/a"], code: 1 },
  "files mv": { args: [storage, "/a", "/b"], code: 1 },
  "files cp": { args: [storage, "/a", "/b"], code: 1 },
  serve: { args: ["--storage", storage, "--port", "0", "--queue-port", "0"] },
  verify: { args: [database] },
  compact: { args: [database] },
  "postgres init": { args: ["postgres://u@127.0.0.1:1/x"], elsewhere: "postgres/commands.service.test.ts" },
  "page-ranges": {
    args: ["http://127.0.0.1:1/disk.vhd?sig=a"],
    elsewhere: "page-ranges/page-ranges.service.test.ts",
  },
  help: { args: ["query"] },
  completions: { args: ["bash"] },
};

const endings = (command: CommandLine): readonly string[] => {
  const own = command.commands as readonly CommandLine[];
  return own.length === 0 ? [command.path.replace("partita ", "")] : own.flatMap(endings);
};
const commands = endings(program());
const withCall = (word: string, where: (call: Call) => boolean = () => true): readonly string[] =>
  commands.filter((name) => calls[name]?.args.includes(word) === true && where(calls[name]));

/** Modules of commands that need a model of their own. */
const moduleOf: Readonly<Record<string, string>> = {
  "move-rows": "moves.mjs",
  upgrade: "versions.mjs",
  "index drop": "retired.mjs",
};

let folder: TemporaryFolder;
let silent: Server;
let silentStorage = "";
const home = process.cwd();

const storageAt = (port: number): string =>
  `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:${port}/a;`;

beforeAll(async () => {
  // Retries don't wait.
  vi.spyOn(Math, "random").mockReturnValue(0);
  folder = await temporaryFolder();
  silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  silentStorage = storageAt((silent.address() as AddressInfo).port);
  const Note = class Note extends defineEntity({
    table: "Notes",
    partitionKey: { book: text() },
    rowKey: { id: padded(3) },
    properties: { title: text() },
  }) {};
  {
    await using opened = await openStorage(`file:${folder.file("original.db")}`);
    await createTables(opened, [Note]);
    await using context = new TableContext(opened);
    for (let id = 1; id <= 5; id++) context.create(Note, { book: "b", id, title: `title ${id}` });
    await context.saveChanges();
  }
  writeFileSync(folder.file("input.jsonl"), `${aRow}\n`);
  writeFileSync(folder.file("model.mjs"), moduleText);
  for (const [name, source] of Object.entries(ownModules)) writeFileSync(folder.file(name), source);
  process.chdir(folder.file("."));
  expect(await run("backup", "file:original.db", "backup")).toMatchObject({ code: 0 });
});
afterAll(async () => {
  vi.restoreAllMocks();
  process.chdir(home);
  silent.close();
  await folder[Symbol.asyncDispose]();
});

const imports = `
import { defineEntity, text } from ${JSON.stringify(published("core"))};
import { constant, padded, verbatim } from ${JSON.stringify(published("core", "keys"))};
const own = { table: "Notes", partitionKey: { book: text() }, properties: { title: text() } };`;

const moduleText = `${imports}
import { defineStress } from ${JSON.stringify(published("testing"))};
import { anyText, definePatterns, pattern } from ${JSON.stringify(published("patterns"))};
export class Note extends defineEntity({
  ...own, rowKey: { id: padded(3) }, indexes: { byTitle: { rowKey: { title: constant("TITLE:", verbatim) } } },
}) {}
export const patterns = definePatterns({
  ofBook: pattern(Note, { book: anyText() }, (query, { book }) => query.where({ book }), { atMost: "partition scan" }),
});
const load = [{ share: 1, run: (context, id) => void context.create(Note, { book: "b", id, title: "t" }) }];
export const ofNotes = defineStress(Note, { partition: { book: "b" }, load });
`;

const retiredText = moduleText.replace("verbatim) }", 'verbatim) }, state: "retired"');

const versionsText = `${imports}
import { add, upgrades } from ${JSON.stringify(published("core", "upgrades"))};
export class Note extends defineEntity({
  ...own,
  rowKey: { id: padded(3) },
  properties: { title: text(), state: text() },
  version: upgrades({ title: text() }).to(2, add("state", text(), "open")),
}) {}
`;

const movesText = `${imports}
export class Note extends defineEntity({ ...own, rowKey: { id: padded(3) } }) {}
export class Wide extends defineEntity({ ...own, rowKey: { of: constant("NOTE"), id: padded(6) }, formerKeys: Note }) {}
`;

const ownModules: Readonly<Record<string, string>> = {
  "moves.mjs": movesText,
  "versions.mjs": versionsText,
  "retired.mjs": retiredText,
};

beforeEach(() => {
  for (const name of ["tables.db", "tables.db-wal", "tables.db-shm", "output", "copy.db", "new.db"])
    rmSync(folder.file(name), { force: true, recursive: true });
  copyFileSync(folder.file("original.db"), folder.file("tables.db"));
});

/** Runs a call with other words for some of its words, and interrupts commands that serve. */
async function call(name: string, words: Readonly<Record<string, string>> = {}, isStopped = false) {
  const all = {
    [storage]: "file:tables.db",
    [database]: "tables.db",
    [model]: moduleOf[name] ?? "model.mjs",
    [table]: "Notes",
    [input]: "input.jsonl",
    [output]: "output",
    ...words,
  };
  const args = (calls[name] as Call).args.map((word) => all[word] ?? word);
  const runIt = isStopped ? runUntilStopped : run;
  return runIt(...name.split(" "), ...args);
}

/** A sentence, a code with a sentence, or the plan of a query. */
const aSentence = /^(?:partita .*: |[a-z]+\.[a-z-]+: )?\S.*[.:]$|^Plan: |See https:\S+$/;

/** No stack, no code of the operating system. */
function expectSentences(errors: string): void {
  expect(errors).not.toMatch(/\n\s+at |\b(?:ENOENT|EISDIR|EADDRINUSE|ENOTDIR)\b|undefined|\[object/);
  for (const line of errors.split("\n")) expect(line).toMatch(aSentence);
}

test("every command has a call here", () => {
  expect(Object.keys(calls).toSorted()).toEqual([...commands].toSorted());
});

const serving = ["serve", "studio"];

describe("0 is success, or the stop of a server; 1 is a problem that the command found", () => {
  test.each(commands.filter((name) => calls[name]?.elsewhere === undefined))("%s", async (name) => {
    const { code, errors } = await call(name, {}, serving.includes(name));

    expect(errors).not.toMatch(/\n\s+at /);
    expect([errors, code]).toEqual([expect.anything(), calls[name]?.code ?? 0]);
  });
});

describe("2 is a wrong call", () => {
  test.each(commands)("%s with an unknown option", async (name) => {
    const { code, out, errors } = await run(...name.split(" "), ...(calls[name] as Call).args, "--nonsense");

    expect(errors).toMatch(new RegExp(`^partita ${name}: unknown option '--nonsense'`));
    expectSentences(errors);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test.each(commands.filter((name) => !["serve", "doctor", "help"].includes(name)))(
    "%s without arguments",
    async (name) => {
      const { code, errors } = await run(...name.split(" "));

      expect(errors).toMatch(/missing required|required option|needs/);
      expectSentences(errors);
      expect(code).toBe(2);
    },
  );

  test.each(withCall(model))("%s with a missing module", async (name) => {
    const { code, errors } = await call(name, { [model]: "none.mjs" });

    expect({ code, errors }).toEqual({ code: 2, errors: "There is no none.mjs." });
  });

  test.each(
    withCall(storage, ({ creates }) => creates !== true).filter(
      (name) => !["serve", "files put"].includes(name),
    ),
  )("%s with a missing file of a storage", async (name) => {
    const { code, errors } = await call(name, { [storage]: "file:none.db" });

    expect({ code, errors }).toEqual({
      code: 2,
      errors: expect.stringMatching(/^There is no (?:file:)?none\.db\./),
    });
  });

  test.each(withCall(database))("%s with a missing database", async (name) => {
    const { code, errors } = await call(name, { [database]: "none.db" });

    expect({ code, errors }).toEqual({ code: 2, errors: "There is no none.db." });
  });

  test.each(withCall(storage))("%s with a storage in a missing folder", async (name) => {
    const { code, errors } = await call(name, { [storage]: "file:none/tables.db" });

    expectSentences(errors);
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringMatching(/^There is no /) });
  });

  test.each(withCall(storage))("%s with a folder for a storage", async (name) => {
    mkdirSync(join(folder.file("."), "sub"), { recursive: true });
    const { code, errors } = await call(name, { [storage]: "file:sub" });

    expect({ code, errors }).toEqual({ code: 2, errors: "sub is a folder. Name a file in it." });
  });

  test.each(withCall(input))("%s with a missing file", async (name) => {
    const { code, errors } = await call(name, { [input]: "none.jsonl" });

    expect({ code, errors }).toEqual({ code: 2, errors: "There is no none.jsonl." });
  });

  test.each(withCall(output).filter((name) => name !== "files get"))(
    "%s with a missing folder",
    async (name) => {
      const { code, errors } = await call(name, { [output]: "none/output" });

      expect({ code, errors }).toEqual({ code: 2, errors: "There is no folder none. Create it first." });
    },
  );
});

describe("1 is a problem", () => {
  test.each(withCall(table, ({ creates }) => creates !== true))("%s with a missing table", async (name) => {
    const { code, errors } = await call(name, { [table]: "Nothing" });

    expectSentences(errors);
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/Nothing/) });
  });

  test.each(withCall(model, ({ args }) => args.includes(storage)).filter((name) => name !== "index drop"))(
    "%s with a class that has no table",
    async (name) => {
      await run("create-table", "file:new.db", "Others", "--if-missing");
      const { code, errors } = await call(name, { [storage]: "file:new.db" });

      expect(errors).toMatch(
        /^Notes: the table does not exist\.$|storage\.table-not-found: .* partita tables .*Notes/,
      );
      expect(code).toBe(1);
    },
  );

  test.each(withCall(storage).filter((name) => !serving.includes(name)))(
    "%s with a storage that cannot be reached",
    async (name) => {
      // A copy retries for 20 seconds. Its dry run does not.
      const { code, errors } = await (name === "copy"
        ? run("copy", storageAt(1), "file:copy.db", "Notes", "--dry-run")
        : call(name, { [storage]: storageAt(1) }));

      expect(errors).toMatch(/127\.0\.0\.1:1 cannot be reached/);
      expect(code).toBe(1);
    },
  );
});

describe("1 is a port that is taken", () => {
  test.each([
    ["--port", /^The port is taken\. Choose another with --port, or 0 for a free one\.$/],
    ["--queue-port", /^The port \d+ for queues is taken\. Choose another with --queue-port/],
  ])("serve %s", async (option, message) => {
    const { port } = silent.address() as AddressInfo;
    const other = option === "--port" ? "--queue-port" : "--port";
    const { code, errors } = await run("serve", "--storage", "memory:", other, "0", option, String(port));

    expect(errors).toMatch(message);
    expect(code).toBe(1);
  });
});

describe("130 is a stop by SIGINT", () => {
  // `index build` waits for the timeout of one request, which others may share.
  test.each(withCall(storage).filter((name) => ![...serving, "index build"].includes(name)))(
    "%s while the storage does not respond",
    async (name) => {
      const { code, errors } = await call(name, { [storage]: silentStorage }, true);

      expect(errors).toMatch(/^(?:Plan: .*\n)?Stopped\./m);
      expectSentences(errors);
      expect(code).toBe(130);
    },
  );
});
