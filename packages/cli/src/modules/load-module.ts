import { isNativeError } from "node:util/types";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The exports of a module. @throws Error with a message for users */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  checkModuleIsThere(path);
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!isOfSyntax(error)) throw error;
    throw new Error(
      `Node cannot run ${path}, or a module that it imports: ${error.message.replace(/\.$/, "")}. Give a compiled module: Node runs TypeScript only without decorators and enums. If the compiler leaves decorators in its output, partita doctor finds the wrong option.`,
      { cause: error },
    );
  }
}

/** @throws Error if the module does not exist */
export function checkModuleIsThere(path: string): void {
  if (!existsSync(path)) throw new Error(`There is no ${path}.`);
}

/** Whether Node refused to parse a module, before it ran any of it. */
function isOfSyntax(error: unknown): error is Error {
  const codes = ["ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "ERR_UNKNOWN_FILE_EXTENSION"];
  const code = isNativeError(error) ? (error as NodeJS.ErrnoException).code : undefined;
  return (
    (isNativeError(error) && error.name === "SyntaxError") || (code !== undefined && codes.includes(code))
  );
}
