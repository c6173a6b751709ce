import type * as testing from "@partita/testing";
import { loadPackageOf } from "../modules/load-package.ts";
import { inSession } from "../session/session.ts";
import { classesOf } from "./classes-of.ts";

/** `partita snapshot-model`: prints the model of a module as JSON. Returns the exit code. */
export const snapshotModel = ([path = ""]: readonly string[]): Promise<number> =>
  inSession(async ({ out }) => {
    const classes = await classesOf(path);
    const { snapshotModel: snapshot } = await loadPackageOf<typeof testing>(path, "@partita/testing");
    await out.line(JSON.stringify(snapshot(classes), undefined, 2));
    return 0;
  });
