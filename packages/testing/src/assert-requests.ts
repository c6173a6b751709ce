import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";

/** How requests are compared. */
export interface AssertRequestsOptions {
  /** Whether the order counts; default true. Requests that are sent at once come in any. */
  readonly inOrder?: boolean;
}

/** What contexts report of a request. */
interface RequestEvent {
  readonly type: string;
  readonly table: string;
  readonly operations: number;
}

/** The list of the piece of work that is being watched. */
const watching = new AsyncLocalStorage<string[]>();
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  tracingChannel<unknown, object>("partita:request").subscribe({
    start(event) {
      const { type, table, operations } = event as RequestEvent;
      watching.getStore()?.push(type === "transact" ? `${type} ${table} ${operations}` : `${type} ${table}`);
    },
    // All of them are needed to subscribe.
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: () => undefined,
    error: () => undefined,
  });
}

/**
 * Runs a piece of work and checks which requests its contexts send, each as `"query Blogs"`, `"get Blogs"`,
 * `"write Blogs"` or `"transact Blogs 3"` with its operations. Work beside it, of other tests, does not count.
 *
 * @returns what the work returns
 * @throws AssertionError that lists both
 */
export async function assertRequests<Result>(
  expected: readonly string[],
  work: () => Result | Promise<Result>,
  { inOrder = true }: AssertRequestsOptions = {},
): Promise<Result> {
  listen();
  const sent: string[] = [];
  const result = await watching.run(sent, async () => work());
  const [found, wanted] = inOrder ? [sent, [...expected]] : [sent.toSorted(), expected.toSorted()];
  assert.deepEqual(found, wanted, `The work sent ${sent.length} requests: ${sent.join(", ") || "none"}.`);
  return result;
}
