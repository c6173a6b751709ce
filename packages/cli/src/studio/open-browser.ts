import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder } from "../disk/temporary.ts";
import { environmentWithoutSecrets } from "../session/without-secrets.ts";

/** What opens a file as its user would, by platform. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Shows an address in the system's browser. Other users of the machine see the arguments of programs, so the address goes there in
 * a file that its owner alone can read; disposing removes it.
 *
 * @param url - letters, digits and `:/._-#` alone, as `startStudio` makes it
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
  opened.once("error", () => console.error("No browser could be opened: open the address yourself."));
  opened.unref();
  return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
