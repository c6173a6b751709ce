import { readFile } from "node:fs/promises";
import type * as testing from "@partita/testing";
import { loadPackageOf } from "../modules/load-package.ts";
import { checkInput } from "../disk/named-file.ts";
import type { Output } from "../terminal/output.ts";
import { CommandError, inSession } from "../session/session.ts";
import { classesOf } from "./classes-of.ts";
import { describeChanges } from "./describe-changes.ts";
import { isSnapshot, readSnapshot } from "./read-snapshot.ts";

/** Options as given. */
export interface ReleaseCheckOptions {
  readonly json?: boolean;
  readonly seed?: number;
  readonly histories?: number;
  /** A file of plain values by class and property. */
  readonly values?: string;
}

type Testing = typeof testing;

/**
 * `partita release-check`: compares two releases of a model. Returns the exit code: 1 if something is lost.
 */
export const releaseCheck = (
  [older = "", newer = ""]: readonly string[],
  options: ReleaseCheckOptions,
): Promise<number> =>
  inSession(async ({ out, signal }) => {
    const tools = await loadPackageOf<Testing>(newer, "@partita/testing");
    const classes = await classesOf(newer);
    return isSnapshot(older)
      ? compareSnapshots(tools, await readSnapshot(older), tools.snapshotModel(classes), { out, ...options })
      : checkModules(tools, [await classesOf(older), classes], { out, signal, ...options });
  });

type Print = ReleaseCheckOptions & { readonly out: Output };

async function compareSnapshots(
  { compareModels }: Testing,
  older: testing.ModelSnapshot,
  newer: testing.ModelSnapshot,
  { out, json = false }: Print,
): Promise<number> {
  const changes = compareModels(older, newer);
  const isLoss = changes.some(({ severity }) => severity.startsWith("breaks"));
  if (json) await out.line(JSON.stringify({ isCompatible: !isLoss, changes }, undefined, 2));
  else await out.line(describeChanges(changes));
  return isLoss ? 1 : 0;
}

async function checkModules(
  { checkRelease, compareModels, describeRelease, snapshotModel }: Testing,
  [older, newer]: readonly [Parameters<Testing["checkRelease"]>[0], Parameters<Testing["checkRelease"]>[1]],
  { out, signal, json = false, seed, histories, values }: Print & { readonly signal: AbortSignal },
): Promise<number> {
  const changes = compareModels(snapshotModel(older), snapshotModel(newer));
  const report = await checkRelease(older, newer, {
    signal,
    seed,
    histories,
    values: await valuesIn(values),
  });
  if (json) await out.line(JSON.stringify({ ...report, changes }, undefined, 2));
  else await out.line(`${describeChanges(changes)}\n\n${describeRelease(report)}`);
  return report.isCompatible ? 0 : 1;
}

async function valuesIn(path: string | undefined): Promise<testing.ReleaseValues | undefined> {
  if (path === undefined) return undefined;
  checkInput(path);
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text) as testing.ReleaseValues;
  } catch {
    throw new CommandError(`${path} is not JSON.`);
  }
}
