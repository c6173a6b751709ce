import type { Outcome } from "../recovery/outcome.ts";
import type { AnnouncedMessage, OutboxOutcome } from "../unit-of-work/outbox-message.ts";
import type { Batch } from "./plan-batches.ts";

/**
 * Reports what became of the rows of a batch's messages.
 *
 * @param wasInDoubt - whether the answer of any of its requests was lost
 */
export async function endMessages(
  { outbox }: Batch,
  outcomes: readonly Outcome[],
  wasInDoubt: boolean,
): Promise<void> {
  if (outbox === undefined) return;
  const outcome = outcomes[0]?.result.outcome;
  if (outcome === "committed") await endAll(outbox, wasInDoubt ? "proved" : "stored");
  else await endAll(outbox, outcome === "rejected" && !wasInDoubt ? "refused" : "in doubt");
}

/** Reports one fate of announced messages. */
export async function endAll(outbox: readonly AnnouncedMessage[], outcome: OutboxOutcome): Promise<void> {
  await Promise.all(outbox.map(({ announcement }) => announcement.end(outcome).catch(ignore)));
}

/** What the store says of the row counts, whether anybody could learn of it or not. */
const ignore = (): void => undefined;
