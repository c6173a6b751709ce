import { isNativeError } from "node:util/types";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checkInput } from "../disk/named-file.ts";
import { CommandError, Stopped } from "../session/session.ts";

type Module = Readonly<Record<string, unknown>>;

/** The exports of a module. @throws Error with a message for users */
export async function loadModule(path: string): Promise<Module> {
  checkInput(path);
  try {
    return await untilLoaded(path, import(pathToFileURL(resolve(path)).href) as Promise<Module>);
  } catch (error) {
    throw asLoadingError(path, error);
  }
}

/**
 * A module may wait forever. If it also keeps the process alive, a signal ends the wait. If it does not, Node
 * would end without a message.
 */
async function untilLoaded(path: string, module: Promise<Module>): Promise<Module> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Stopped());
  const giveUp = (): void =>
    reject(new CommandError(`${path} never ends loading: it awaits a promise that nothing settles.`));
  process.once("SIGINT", stop).once("SIGTERM", stop).once("beforeExit", giveUp);
  try {
    return await Promise.race([module, promise]);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop).off("beforeExit", giveUp);
  }
}

function asLoadingError(path: string, error: unknown): Error {
  if (!isNativeError(error)) return new CommandError(`${path} threw ${typeof error} while it was loaded.`);
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (isOfSyntax(error))
    return new Error(
      `Node cannot run ${path}, or a module that it imports: ${message.replace(/\.$/, "")}. Give a compiled module: Node runs TypeScript only without decorators and enums. If the compiler leaves decorators in its output, partita doctor finds the wrong option.`,
      { cause: error },
    );
  // An option in the module is not an argument of the command.
  if (code?.endsWith(".option") === true) return new CommandError(`${code}: ${message}`, { cause: error });
  // Other errors with a code describe themselves: those of Partita, and of packages that Node doesn't find.
  if (code !== undefined || CommandError.is(error) || Stopped.is(error)) return error;
  return new CommandError(`${path} threw ${name} while it was loaded: ${message}`, { cause: error });
}

/** Whether Node refused to parse a module, before it ran any of it. */
function isOfSyntax(error: Error): boolean {
  const codes = ["ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "ERR_UNKNOWN_FILE_EXTENSION"];
  const { code = "" } = error as NodeJS.ErrnoException;
  return error.name === "SyntaxError" || codes.includes(code);
}
