import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own, which is removed with all that is in it. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** The path of a file or folder in it. */
  file(name: string): string;
}

/** Makes an empty folder outside of the workspace. Its path has no symbolic links, so that modules in it have that path too. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "partita-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
