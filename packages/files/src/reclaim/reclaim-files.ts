import { compare, textLiteral } from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";
import { FileError } from "../errors/file-error.ts";
import type { FileStore } from "../store/file-store.ts";
import { candidatesOf } from "./candidates.ts";
import { checkReclaim, type ReclaimOptions, type ReclaimReport } from "./reclaim-options.ts";
import { VersionReclaim } from "./reclaim-version.ts";

/**
 * Deletes versions that have outlived the policies of their zones.
 *
 * @param store - undefined if no file was ever created
 */
export async function reclaimFiles(
  store: FileStore | undefined,
  options: ReclaimOptions,
): Promise<ReclaimReport> {
  checkReclaim(options);
  const { concurrency, claimTimeoutMs, onProgress, signal } = options;
  const report = { inspected: 0, reclaimed: 0, blocks: 0 };
  if (store === undefined) return report;
  checkPolicies(store);
  const { runTableJob } = await import("@partita/maintenance/internal");
  await runTableJob(store.storage, {
    table: `${store.name}Files`,
    filter: compare("eq", "Kind", textLiteral("version")),
    name: `reclaim ${store.name}`,
    concurrency,
    claimTimeoutMs,
    signal,
    work: async (rows: readonly StoredEntity[], held: AbortSignal) => {
      for (const place of candidatesOf(store, rows)) {
        report.inspected++;
        const blocks = await new VersionReclaim(store, place, held).run();
        if (blocks === undefined) continue;
        report.reclaimed++;
        report.blocks += blocks;
        onProgress?.({ ...report });
      }
    },
  });
  return { ...report };
}

/** Another program may keep versions longer than the defaults. @throws FileError `file.layout` */
function checkPolicies({ policies, zones }: FileStore): void {
  if (policies !== undefined) return;
  throw new FileError(
    "file.layout",
    `reclaim() follows the policies of the zones, but tableFiles was opened without zones. Pass them: { zones: ${JSON.stringify(Object.fromEntries(zones.paths.map((path) => [path, {}])))} } uses the defaults.`,
  );
}
