import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** Creates an empty folder for each test of a file, and deletes it after the test. Returns paths in it. */
export function folderOfEachTest(): (...names: readonly string[]) => string {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder[Symbol.asyncDispose]());
  return (...names) => join(folder.path, ...names);
}
