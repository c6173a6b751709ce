import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";

/** Options for comparing requests. */
export interface AssertRequestsOptions {
  /** Whether the order matters; default true. Concurrent requests may come in any order. */
  readonly inOrder?: boolean;
}

/** The event that contexts publish for a request. */
interface RequestEvent {
  readonly type: string;
  readonly table: string;
  readonly operations: number;
}

/** The list of requests of the observed work. */
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
    // Subscribing requires all of these functions.
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: () => undefined,
    error: () => undefined,
  });
}

/**
 * Runs `work` and checks which requests its contexts send, each as `"query Blogs"`, `"get Blogs"`, `"write Blogs"` or
 * `"transact Blogs 3"` with the number of operations. Concurrent work, such as other tests, does not count.
 *
 * @returns the result of `work`
 * @throws AssertionError with the expected and actual requests
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
