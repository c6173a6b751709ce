import type { TableStorage } from "@partita/core";
import type { ContinuationToken, StoredPage, StoredQuery } from "@partita/core/storage";
import type { StudioCore } from "../core.ts";

/** Tries of one page, where the service is busy or an answer is lost. */
const policy = { attempts: 5, delayMs: 200, kind: "exponential" } as const;

/** A page's question; the token is what an earlier answer had as `next`. */
export type PageQuestion = Omit<StoredQuery, "after"> & { readonly after?: string | undefined };

/** Reads one page of stored rows, again where a failure may pass. @throws StorageError */
export async function readPage(
  core: StudioCore,
  storage: TableStorage,
  table: string,
  { after, ...question }: PageQuestion,
  signal?: AbortSignal,
): Promise<StoredPage> {
  const query = { ...question, ...(after !== undefined && { after: after as ContinuationToken }) };
  for (let failures = 1; ; failures++)
    try {
      return await storage.query(table, query, { ...(signal !== undefined && { signal }) });
    } catch (error) {
      if (failures >= policy.attempts || signal?.aborted === true || !core.isTransient(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, core.waitOf(policy, failures, error)));
    }
}
