import { applyOutcomes } from "../recovery/outcome.ts";
import type { Save } from "./save-state.ts";
import { retriesOf } from "./send-batches.ts";

/** Announces the messages of a save to their queues; if one cannot be announced, nothing is sent. */
export async function announce(save: Save): Promise<void> {
  const { source, options } = save;
  // Loaded when a save first sends a message: few programs do.
  const { announceMessages } = await import("./announce-messages.ts");
  const announced = await announceMessages(save.batches, { ...options, retries: retriesOf(source, options) });
  save.batches = announced.batches;
  if (announced.refused === undefined) return;
  applyOutcomes(source, announced.refused);
  save.outcomes = announced.refused;
}
