import { inSession } from "../session/session.ts";
import { UsageError } from "../session/usage-error.ts";
import { storageTarget } from "../storage/storage-target.ts";

/** Options as given. */
interface InitOptions {
  readonly grantTo?: string;
}

/** `partita postgres init`: creates or upgrades the schema. Returns the exit code. */
export const init = ([storage = ""]: readonly string[], { grantTo }: InitOptions): Promise<number> =>
  inSession(async ({ say, out }) => {
    const target = storageTarget(storage, (warning) => say(`Warning: ${warning}`));
    if (!/^postgres(ql)?:/i.test(target))
      throw new UsageError("partita postgres init takes a target such as postgres://owner@host/database.");
    const { initPostgres } = await import("@partita/postgres");
    const { schema, before, version, grantsFor } = await initPostgres(target);
    if (before === undefined) say(`Created the schema ${schema}, version ${version}.`);
    else if (before === version) say(`The schema ${schema} has version ${version} already.`);
    else say(`Upgraded the schema ${schema} from version ${before} to ${version}.`);
    if (grantTo !== undefined) for (const statement of grantsFor(grantTo)) await out.line(statement);
    return 0;
  });
