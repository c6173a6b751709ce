import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Bug } from "../src/bug.ts";
import { bugs } from "../src/bugs/index.ts";
import { plant } from "../src/plant.ts";
import { readSources, sourceOf, workspace } from "../src/sources.ts";
import { type Report, outcomeOf } from "../src/verdict.ts";

const source = `
  export function save(entry: Entry, etag: string): void {
    // Known to be stored.
    if (entry.state !== "removed") entry.etag = etag;
    send({ type: 'merge', etag });
  }
  export const load = (entry: Entry): void => {
    entry.etag = "loaded";
  };
  class Tracker {
    #count(entry: Entry): void {
      entry.etag = "counted";
    }
  }
`;
const other = `export const clear = (row: Row): void => { row.etag = ""; };`;
const sources = [sourceOf("work/save.ts", source), sourceOf("stores/clear.ts", other)];
const planted = (bug: Pick<Bug, "find"> & Partial<Bug>): string =>
  plant({ name: "a bug", caughtBy: { project: "unit", files: [] }, ...bug }, sources).text;

describe("a bug finds its place", () => {
  test("whatever names, quotes, parentheses and line breaks the source uses", () => {
    expect(
      planted({ find: `({\n"type": "merge", etag: ($ETAG) })`.replace(`"type"`, "type"), replace: "$ETAG" }),
    ).toContain("send(etag);");
  });

  test("in the one file that has it", () => {
    expect(planted({ find: `$ROW.etag = ""`, replace: "$ROW.etag" })).toContain("{ row.etag; }");
    expect(planted({ find: `$ENTRY.etag = $ETAG;`, function: "clear" })).toContain("{ ; }");
  });

  test("and replaces an expression, a statement, or drops it", () => {
    const find = `if ($ENTRY.state !== "removed") $ENTRY.etag = $ETAG;`;

    expect(planted({ find: `$ENTRY.state !== "removed"`, replace: `!$ENTRY` })).toContain(
      "if (!entry) entry.etag = etag;",
    );
    expect(planted({ find, replace: "$ENTRY.etag = '*';" })).toContain("entry.etag = '*';\n    send");
    expect(planted({ find })).toMatch(/stored\.\n\s+;\n\s+send/);
  });

  test("within a function, an arrow function or a private method", () => {
    const find = `$ENTRY.etag = $ETAG;`;

    expect(planted({ find, function: "load" })).toContain("=> {\n    ;\n  };");
    expect(planted({ find, function: "#count" })).not.toContain("counted");
    expect(planted({ find, function: "save" })).toContain(`!== "removed") ;`);
  });

  test("and takes from other code of the function what it needs", () => {
    const given = `$ENTRY.state !== "removed"`;

    expect(planted({ find: `send($BODY)`, given, replace: "send($ENTRY)" })).toContain("send(entry);");
  });
});

describe("a bug that fits no longer is refused", () => {
  test("when its code or its function is not found", () => {
    expect(() => planted({ find: "$ENTRY.count++" })).toThrow(
      /"a bug": nothing in the packages is\n {2}\$ENTRY\.count\+\+\nUpdate/,
    );
    expect(() => planted({ find: "$ENTRY.etag = $ETAG", function: "store" })).toThrow(/\(in store\)/);
  });

  test("and shows what was renamed", () => {
    expect(() => planted({ find: `send({ type: "merge", $VERSION: etag })` })).not.toThrow();
    expect(() => planted({ find: `request({ type: "merge", tag })` })).toThrow(
      "Similar code:\n  work/save.ts:5  send({ type: 'merge', etag })",
    );
  });

  test("when it is found twice", () => {
    expect(() => planted({ find: "$ENTRY.etag = $ETAG" })).toThrow(
      /more than one place is[^]+work\/save\.ts:4 [^]+stores\/clear\.ts:1 /,
    );
  });

  test("when a repeated placeholder stands for two things", () => {
    expect(() => planted({ find: "$ETAG.etag = $ETAG" })).toThrow(/nothing in the packages/);
  });

  test("when nothing says what a placeholder stands for, or what it makes is no code", () => {
    const find = `$ENTRY.state !== "removed"`;

    expect(() => planted({ find, replace: "$OTHER" })).toThrow(/what \$OTHER stands for/);
    expect(() => planted({ find, replace: "$ENTRY.(" })).toThrow(/Unexpected token|Expected/);
  });
});

const packages = readSources();

test.each(bugs)("$name: its place is found, and its tests are there", (bug) => {
  const { file, text } = plant(bug, packages);

  expect(text).not.toBe(packages.find((one) => one.file === file)?.text);
  expect(bug.caughtBy.files.filter((path) => !existsSync(join(workspace, path)))).toEqual([]);
});

test("names of bugs are unique", () => {
  expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
});

test("a bug is caught by a failed test, not by code that makes no sense or by tests that do not run", () => {
  const report = (state: string, ...messages: string[]): Report[] => [
    { bug: "a bug", ms: 1, tests: [{ state, messages }] },
  ];

  expect(outcomeOf(report("failed", "Error: Property failed after 12 tests"))).toEqual({
    isCaught: true,
    text: "caught after   12 histories",
  });
  expect(outcomeOf(report("failed", "AssertionError: expected 1 to be 2")).isCaught).toBe(true);
  expect(outcomeOf(report("failed", "ReferenceError: etag is not defined")).isCaught).toBe(false);
  expect(outcomeOf(report("passed")).isCaught).toBe(false);
  expect(outcomeOf([{ bug: "a bug", ms: 1, tests: [] }]).isCaught).toBe(false);
  expect(outcomeOf([]).isCaught).toBe(false);
});
