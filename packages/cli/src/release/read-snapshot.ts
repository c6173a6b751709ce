import { readFile } from "node:fs/promises";
import { isNativeError } from "node:util/types";
import type { ModelSnapshot } from "@partita/testing";
import { checkInput } from "../disk/named-file.ts";
import { CommandError } from "../session/session.ts";

/** Whether a path is that of a snapshot. Modules are JavaScript. */
export const isSnapshot = (path: string): boolean => path.toLowerCase().endsWith(".json");

/** Reads the output of `snapshot-model` from a file. @throws UsageError if there is none; CommandError for another file */
export async function readSnapshot(path: string): Promise<ModelSnapshot> {
  checkInput(path);
  const snapshot = parsed(path, await readFile(path, "utf8"));
  if (typeof snapshot === "object" && snapshot !== null && "format" in snapshot)
    return snapshot as ModelSnapshot;
  throw new CommandError(
    `${path} is not a snapshot of a model. Create one: partita snapshot-model dist/model.js > ${path}`,
  );
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!isNativeError(error)) throw error;
    throw new CommandError(
      `${path} is not JSON. Create it again: partita snapshot-model dist/model.js > ${path}`,
    );
  }
}
