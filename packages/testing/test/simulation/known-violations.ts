/** Something that must hold and does not yet, as a simulation finds it. */
export interface KnownViolation {
  /** `workload/check/proof`, or `history/proof`; proof is `content` or `id`. */
  readonly name: string;
  /** The first seed that shows it. */
  readonly seed: number;
  /** Why it happens; the entry goes when that does. */
  readonly reason: string;
}

const overwritten =
  "A write that was overwritten before it was read back stays in doubt for good: nothing says that its time is over.";
const siblings =
  "A transaction whose retry met a key that is taken stays in doubt for good: nothing is concluded for its other members.";
const byValue =
  "Equal values that somebody else stored count as proof: two increments from the same number are one.";
const removal = "A removal whose row is gone is reported as committed, whoever removed it.";
const refusal =
  "A refusal of the second save is reported as the outcome of the change, while the first save is still on its way, or stored.";
const disproved = "An earlier write of the same change that is found stored disproves the later one.";
const clock = "A clock that is set forward ends the time of what is on its way.";

/** Not executed: what is here is expected to fail. Each entry that is removed becomes a test. */
export const knownViolations: readonly KnownViolation[] = [
  { name: "transfers/nothing stuck/content", seed: 1, reason: overwritten },
  { name: "counters/nothing stuck/content", seed: 3, reason: overwritten },
  { name: "counters/linearizable/content", seed: 1, reason: byValue },
  { name: "insert races/nothing stuck/content", seed: 2, reason: siblings },
  { name: "insert races/nothing stuck/id", seed: 2, reason: siblings },
  { name: "queue/outcomes/content", seed: 1, reason: removal },
  { name: "queue/taken once/content", seed: 1, reason: removal },
  { name: "queue/outcomes/id", seed: 1, reason: removal },
  { name: "queue/taken once/id", seed: 1, reason: removal },
  { name: "reads during batches/nothing stuck/content", seed: 1, reason: overwritten },
  { name: "several saves/outcomes/content", seed: 34, reason: removal },
  { name: "several saves/outcomes/id", seed: 38, reason: removal },
  { name: "several saves/nothing stuck/content", seed: 1, reason: overwritten },
  { name: "several saves/nothing stuck/id", seed: 75, reason: overwritten },
  { name: "upgrades beside old writers/nothing stuck/content", seed: 5, reason: overwritten },
  { name: "upgrades beside old writers/nothing stuck/id", seed: 12, reason: overwritten },
  { name: "the second save is refused, and the first arrives late/content", seed: 1, reason: refusal },
  { name: "the second save is refused, and the first arrives late/id", seed: 1, reason: refusal },
  {
    name: "the second save meets the first, and cannot read what is stored/content",
    seed: 8,
    reason: refusal,
  },
  { name: "the second save meets the first, and cannot read what is stored/id", seed: 8, reason: refusal },
  {
    name: "the first save is late, the second is lost, and the context waits/id",
    seed: 3,
    reason: disproved,
  },
  { name: "an altered change is saved over a late one/content", seed: 1, reason: overwritten },
  { name: "a clock is set forward or back while a save is late/content", seed: 92, reason: clock },
  { name: "a clock is set forward or back while a save is late/id", seed: 92, reason: clock },
  { name: "two take one item by its removal/content", seed: 4, reason: removal },
  { name: "two take one item by its removal/id", seed: 4, reason: removal },
  { name: "a hundred inserts, of which one key is taken/content", seed: 2, reason: siblings },
  { name: "a hundred inserts, of which one key is taken/id", seed: 2, reason: siblings },
];
