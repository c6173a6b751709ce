import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for one test, which is deleted with its contents. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** The path of a file or folder in it. */
  file(name: string): string;
}

/**
 * Creates an empty folder outside the workspace. Its path has no symbolic links, so modules in it have the
 * same path.
 */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "partita-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
