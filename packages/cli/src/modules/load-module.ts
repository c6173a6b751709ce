import { isNativeError } from "node:util/types";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** What a module exports. @throws Error in words for people */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  checkModuleIsThere(path);
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!isOfSyntax(error)) throw error;
    throw new Error(
      `Node cannot run ${path}, or what it imports: ${error.message.replace(/\.$/, "")}. Name a compiled module: of TypeScript, Node runs only what has neither decorators nor enums. partita doctor finds a compiler option that leaves decorators in JavaScript.`,
      { cause: error },
    );
  }
}

/** @throws Error where a module is not there */
export function checkModuleIsThere(path: string): void {
  if (!existsSync(path)) throw new Error(`There is no ${path}.`);
}

/** Whether Node has refused the text of a module, before any of it ran. */
function isOfSyntax(error: unknown): error is Error {
  const codes = ["ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "ERR_UNKNOWN_FILE_EXTENSION"];
  const code = isNativeError(error) ? (error as NodeJS.ErrnoException).code : undefined;
  return (
    (isNativeError(error) && error.name === "SyntaxError") || (code !== undefined && codes.includes(code))
  );
}
