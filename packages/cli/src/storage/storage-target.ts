import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../session/usage-error.ts";
import { findConfigFile } from "./config-file.ts";

/** The environment variable with the default storage of commands. */
export const storageVariable = "PARTITA_STORAGE";

/**
 * Resolves the storage that the user named to a target of `openStorage`: a target, `env:NAME` for an
 * environment variable, or a name of `partita.config.json`.
 *
 * @param warn - called with advice, for a target that works but is unsafe
 * @param folder - the folder of `partita.config.json`, or one of its subfolders
 * @throws UsageError for an unknown name
 */
export function storageTarget(
  text: string,
  warn: (message: string) => void,
  folder: string = process.cwd(),
): string {
  if (text.startsWith("env:")) return fromEnvironment(text.slice("env:".length));
  if (isTarget(text)) {
    if (hasSecret(text))
      warn(
        `Other programs can see a key or password on the command line, and the shell records it. Put the storage into an environment variable, and refer to it with env:NAME, ${storageVariable} or partita.config.json.`,
      );
    return text;
  }
  return fromConfig(text, warn, folder);
}

/** Targets contain a colon or an equals sign. Names don't. */
const isTarget = (text: string): boolean => /[:=]/.test(text);

const hasSecret = (target: string): boolean =>
  /AccountKey=|SharedAccessSignature=|[?&]sig=|^postgres(?:ql)?:\/\/[^@/]*:[^@/]+@/i.test(target) &&
  !/127\.0\.0\.1|localhost/.test(target);

function fromEnvironment(name: string): string {
  const { [name]: target } = process.env;
  if (target === undefined || target === "")
    throw new UsageError(`The environment variable ${name} is not set. It should contain a storage.`);
  // The value is not repeated, because it may contain a key.
  if (!isTarget(target) || target.startsWith("env:"))
    throw new UsageError(
      `The environment variable ${name} does not contain a storage, such as file:path.db or a connection string.`,
    );
  return target;
}

function fromConfig(name: string, warn: (message: string) => void, folder: string): string {
  const config = findConfigFile(folder);
  const storage = config?.storages.get(name);
  if (config === undefined || storage === undefined)
    throw unknownName(name, config && [...config.storages.keys()], folder);
  if (typeof storage === "object") return "env" in storage ? fromEnvironment(storage.env) : storage.url;
  if (hasSecret(storage))
    warn(
      `${config.path} contains a key or password. Refer to an environment variable instead: { "env": "NAME" }.`,
    );
  const path = storage.startsWith("file:") && !storage.startsWith("file://") ? storage.slice(5) : undefined;
  return path === undefined ? storage : `file:${resolve(dirname(config.path), path)}`;
}

/** An invalid name is not repeated, because it may be a key. */
function unknownName(text: string, known: readonly string[] | undefined, folder: string): UsageError {
  const isName = /^[\w.-]{1,40}$/.test(text);
  const isFile = !/\.[cm]?[jt]s$/.test(text) && isFileAt(resolve(folder, text));
  const name = isName || isFile ? ` ${text}` : "";
  const ofFile = isFile ? ` The file of this name is file:${text}.` : "";
  const has =
    known === undefined ? "there is no partita.config.json" : `partita.config.json has ${known.join(", ")}`;
  return new UsageError(
    `There is no storage${name}: ${has}. Use file:path.db, postgres://user@host/database, a connection string, the https URL of an account, or env:NAME.${ofFile}`,
  );
}

/** False for a text that cannot be a path too. */
function isFileAt(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
