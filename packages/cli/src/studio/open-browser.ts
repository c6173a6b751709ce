import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder } from "../disk/temporary.ts";
import { environmentWithoutSecrets } from "../session/without-secrets.ts";

/** The command that opens a file for the user, by platform. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens an address in the system's browser. Other users of the machine can see the arguments of programs, so
 * the address is passed in a file that only its owner can read. Disposing deletes the file.
 *
 * @param url - only letters, digits and `:/._-#`, as `startStudio` returns it
 */
export async function openBrowser(url: string): Promise<AsyncDisposable> {
  const folder = makeTemporaryFolder(tmpdir());
  const file = join(folder, "open.html");
  const page = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>Partita Studio</title>`;
  await writeFile(file, page, { mode: 0o600 });
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const opened = spawn(command, [...args, file], {
    stdio: "ignore",
    detached: true,
    env: environmentWithoutSecrets(),
  });
  opened.once("error", () => console.error("The browser could not be opened. Open the address yourself."));
  opened.unref();
  return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
