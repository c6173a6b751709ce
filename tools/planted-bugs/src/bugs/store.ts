import type { Bug, Suite } from "../bug.ts";

const tests = (name: string): Suite => ({
  project: "unit: core",
  files: [`packages/core/test/stores/embedded/${name}.test.ts`],
});

const ofMaintenance = (name: string): Suite => ({
  project: "unit: maintenance",
  files: [`packages/maintenance/test/database/${name}.test.ts`],
});

/** Bugs in the file of an embedded store. */
export const storeBugs: readonly Bug[] = [
  {
    caughtBy: ofMaintenance("verify-database"),
    name: "a deleted row stays in its table's totals",
    function: "#delete",
    find: `this.totals.sum -= numberOf($CHECKSUM);`,
  },
  {
    caughtBy: tests("read-together"),
    name: "rows that a transaction reads together are assigned to its first operations",
    function: "read",
    find: `$ROWS[$ROW[0]] = $ROW;`,
    replace: `$ROWS.push($ROW);`,
  },
  {
    caughtBy: {
      project: "laws: core",
      files: ["packages/core/test/stores/embedded/set-members.law.test.ts"],
    },
    name: "a merge ends a text at an escaped quote",
    function: "endOfValue",
    find: `isEscaped($JSON, $AT)`,
    replace: `false`,
  },
  {
    caughtBy: ofMaintenance("verify-database"),
    name: "a refused transaction stays in its table's totals",
    function: "#applyJob",
    find: `if ($WRITER !== undefined) Object.assign($WRITER.totals, $BEFORE);`,
  },
  {
    caughtBy: tests("group-commit"),
    name: "a refused transaction leaves what it stored before the refusal",
    function: "#applyJob",
    find: `$RESULTS.length > 0`,
    replace: `false`,
  },
  {
    caughtBy: tests("replaced-file"),
    name: "a replaced file is not noticed",
    find: `$FOUND !== undefined && $FOUND.ino === $KNOWN.ino && $FOUND.dev === $KNOWN.dev`,
    replace: `$FOUND !== undefined`,
  },
  {
    caughtBy: tests("replaced-file"),
    name: "a file that was cut is not noticed",
    find: `$FOUND.size < $KNOWN.size`,
    replace: `false`,
  },
  {
    caughtBy: tests("replaced-file"),
    name: "a truncated last commit in the log is not noticed",
    function: "#commit",
    find: `$FILES?.noteCommit();`,
  },
  {
    caughtBy: ofMaintenance("verify-database"),
    name: "verify passes a row that the index of keys lacks",
    function: "checkOne",
    find: `if ($FOUND !== $ID) $REPORT("key", $MESSAGE);`,
  },
  {
    caughtBy: ofMaintenance("repair-database"),
    name: "a repair copies damaged rows",
    function: "repairRows",
    find: `!isSound($ROW, $TABLE)`,
    replace: `false`,
  },
  {
    caughtBy: ofMaintenance("repair-database"),
    name: "a repair does not report unreadable rows",
    function: "repairRows",
    find: `lost.set(id, { key, message: "The row can't be read." });`,
    replace: `;`,
  },
  {
    caughtBy: tests("versions"),
    name: "one wrong clock spoils all later Timestamps",
    function: "#applyJob",
    find: `$AHEAD > $MOST ? $AHEAD : 0`,
    replace: `0`,
  },
  {
    caughtBy: {
      project: "laws: core",
      files: ["packages/core/test/stores/embedded/page-copies.law.test.ts"],
    },
    name: "a checksum does not cover the row's table",
    function: "mixedColumns",
    find: `$TABLE ^ halves($TS) ^ $AHEAD`,
    replace: `halves($TS) ^ $AHEAD`,
  },
  {
    caughtBy: {
      project: "laws: core",
      files: ["packages/core/test/stores/embedded/sqlite-dialect.law.test.ts"],
    },
    name: "a filter matches text in packed bytes",
    find: `const isPlain = "substr(body, -1) <> x'00'";`,
    replace: `const isPlain = "TRUE";`,
  },
  {
    caughtBy: {
      project: "laws: core",
      files: ["packages/core/test/stores/embedded/pages.law.test.ts"],
    },
    name: "a scan of a file skips unchecked rows",
    function: "readChunk",
    find: `$CHECKED === undefined || $CHECKED.has($ROWS, $END)`,
    replace: `true`,
  },
  {
    caughtBy: {
      project: "laws: core",
      files: ["packages/core/test/stores/embedded/encoded-operations.law.test.ts"],
    },
    name: "a transaction with packed bytes may be too large",
    find: `$SPARED += base64Length($BYTES.length) - $TEXT.length;`,
  },
  {
    caughtBy: {
      project: "laws: core",
      files: ["packages/core/test/stores/embedded/pages.law.test.ts"],
    },
    name: "a full step counts as the last one",
    function: "readRows",
    find: `return { found, isMore: true };`,
    replace: `return { found, isMore: false };`,
  },
  {
    name: "bodies of stored rows are left to the garbage collector",
    find: `releaseBody($BODY);`,
    replace: `;`,
    caughtBy: { project: "services: files", files: ["packages/files/test/memory.service.test.ts"] },
  },
];
