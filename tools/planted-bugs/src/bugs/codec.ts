import type { Bug, Suite } from "../bug.ts";

/** Random classes, rows and entities, with compiled code and with loops. */
const law: Suite = {
  project: "laws: core",
  files: ["packages/core/test/model/codec/codec.law.test.ts"],
  env: { PARTITA_CODEC_MODELS: "200", PARTITA_CODEC_SEED: "1" },
};

/** The values of a row, one at a time. */
const values: Suite = { project: "unit: core", files: ["packages/core/test/values/edm/json-bytes.test.ts"] };

/** Bugs in the code that is generated for a class. */
export const codecBugs: readonly Bug[] = [
  {
    name: "a snapshot shares a Date that its owner may change",
    function: "readLine",
    find: `snapshotValue === undefined`,
    replace: `true`,
    caughtBy: law,
  },
  {
    name: "a value written in place lacks its type annotation",
    function: "printLine",
    find: `$ANNOTATION === "always"`,
    replace: `false`,
    caughtBy: law,
  },
  {
    name: "a line end in text written in place is not escaped",
    function: "putText",
    find: `$CODE < 0x20 || $QUOTE || $BACKSLASH`,
    replace: `$QUOTE || $BACKSLASH`,
    caughtBy: values,
  },
  {
    name: "a required value may be missing in a row written in place",
    function: "writeLine",
    find: `$PRESENCE === "required"`,
    replace: `false`,
    caughtBy: law,
  },
  {
    name: "bytes changed in place count as unchanged",
    find: `$BYTES.byteLength === $LENGTH && sumOf($BYTES) === $SUM`,
    replace: `$BYTES.byteLength === $LENGTH`,
    caughtBy: { project: "unit: core", files: ["packages/core/test/stores/embedded/packed-bytes.test.ts"] },
  },
];
