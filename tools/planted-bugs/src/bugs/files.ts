import type { Bug, Suite } from "../bug.ts";

const unit = (name: string): Suite => ({
  project: "unit: files",
  files: [`packages/files/test/${name}.test.ts`],
});

/** Bugs in files over tables. */
export const fileBugs: readonly Bug[] = [
  {
    name: "a damaged block is returned",
    function: "partsOf",
    find: `if (BigInt($CRC) !== $ROW.crc) throw $ERROR;`,
    caughtBy: unit("wrong-files"),
  },
  {
    name: "a stream ends without an error if its file is reclaimed meanwhile",
    function: "streamRows",
    find: `$STATE = await look();`,
    replace: `if (!isOver) $STATE = await look();`,
    caughtBy: unit("wrong-files"),
  },
  {
    name: "the memory of a block is reused before it is sent",
    function: "#send",
    find: `await this.#append($PACK);`,
    replace: `{ this.#packer.reuse($PACK); await this.#append($PACK); }`,
    caughtBy: unit("file-writer"),
  },
  {
    name: "bytes that don't fit into a reader's memory are lost",
    find: `$REST = $REST.subarray($LENGTH);`,
    replace: `$REST = undefined;`,
    caughtBy: unit("files"),
  },
];
