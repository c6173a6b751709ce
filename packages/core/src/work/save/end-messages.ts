import type { Outcome } from "../recovery/outcome.ts";
import type { AnnouncedMessage, OutboxOutcome } from "../unit-of-work/outbox-message.ts";
import type { Write } from "../recovery/attempt.ts";

/**
 * Reports the outcomes of a batch's message rows.
 *
 * @param wasInDoubt - whether the response of any of its requests was lost
 */
export async function endMessages(
  { outbox }: Write,
  outcomes: readonly Outcome[],
  wasInDoubt: boolean,
): Promise<void> {
  if (outbox === undefined) return;
  const outcome = outcomes[0]?.result.outcome;
  if (outcome === "committed") await endAll(outbox, wasInDoubt ? "proved" : "stored");
  else await endAll(outbox, outcome === "rejected" && !wasInDoubt ? "refused" : "in doubt");
}

/** Reports one outcome for several announced messages. */
export async function endAll(outbox: readonly AnnouncedMessage[], outcome: OutboxOutcome): Promise<void> {
  await Promise.all(outbox.map(({ announcement }) => announcement.end(outcome).catch(ignore)));
}

/** The stored row decides, even if this report fails. */
const ignore = (): void => undefined;
