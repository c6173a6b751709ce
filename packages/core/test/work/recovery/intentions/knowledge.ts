import { isConditional, isLost, isUnjudged } from "./rules.ts";
import type { Notes } from "./notes.ts";
import type { Change, Context, ModelAttempt, Row, RowOperation, State, Told } from "./state.ts";

/** What one context knows of its entities and intentions, and what it reports. */
export class Knowledge {
  readonly state: State;
  readonly at: number;
  readonly notes: Notes;
  readonly context: Context;

  constructor(state: State, at: number, notes: Notes) {
    this.state = state;
    this.at = at;
    this.notes = notes;
    this.context = state.contexts[at]!;
  }

  get isExact(): boolean {
    return this.notes.scenario.proof === "marker";
  }

  intend(changes: readonly Change[], origin = this.state.intentions.length): number {
    const at = this.state.intentions.push({
      context: this.at,
      changes,
      attempts: [],
      origin,
      timesApplied: 0,
      reported: undefined,
      isFinal: false,
      wasRejected: false,
    });
    for (const { row } of changes) this.context.entities[row]!.wants = at - 1;
    return at - 1;
  }

  changesOf(i: number): readonly Change[] {
    return this.state.intentions[i]!.changes;
  }

  attemptsOf(i: number): ModelAttempt[] {
    return this.state.intentions[i]!.attempts.map((one) => this.state.attempts[one]!);
  }

  lostOf(i: number): ModelAttempt[] {
    return this.attemptsOf(i).filter(isLost);
  }

  isInDoubt(i: number): boolean {
    return this.lostOf(i).length > 0;
  }

  /** Whether more can be learnt of an intention. */
  isOpen(i: number): boolean {
    return this.lostOf(i).some(isUnjudged);
  }

  wanted(): number[] {
    return [...new Set(this.context.entities.map(({ wants }) => wants).filter((i) => i >= 0))];
  }

  ownAttempts(): ModelAttempt[] {
    return this.state.attempts.filter(({ context }) => context === this.at);
  }

  /** Unconditional requests that may have been delayed, of intentions that are stored or were edited. */
  late(): ModelAttempt[] {
    const { scenario, weak } = this.notes;
    if (!scenario.watchesWriters || weak === "delayed upsert ends with its intention") return [];
    const ended = weak === "older proof is taken over" ? [] : this.context.ended;
    return this.ownAttempts().filter(
      (one) =>
        isUnjudged(one) &&
        !(one.state === "over" && weak === "delayed upsert ends with its minute") &&
        one.operations.some((operation) => !isConditional(operation) && operation.type !== "insert") &&
        one.intentions.some((i) => this.state.intentions[i]!.reported === "committed" || ended.includes(i)),
    );
  }

  /** What a change is sent as now; undefined where its version must be read first. */
  operationOf({ type, row, value }: Change): RowOperation | undefined {
    const { etag, other, isUpsert } = this.context.entities[row]!;
    const sent = { row, value, other };
    if (type === "delete")
      return etag === undefined || etag === "?" ? undefined : { ...sent, type: "delete", etag };
    if (type === "upsert" && (etag === undefined || isUpsert)) return { ...sent, type: "upsert" };
    if (etag === undefined) return { ...sent, type: "insert" };
    if (etag === "?") return undefined;
    const isReplace = this.notes.scenario.replacesLater && this.context.saves > 1;
    return { ...sent, type: isReplace ? "replace" : "merge", etag };
  }

  learn(at: number, row: Row | undefined): void {
    const entity = this.context.entities[at]!;
    if (row !== undefined) Object.assign(entity, row);
    else entity.etag = "?";
    entity.isUpsert = false;
  }

  /** Reports an outcome, and checks the laws about what is told. */
  tell(i: number, outcome: Told, evidence: string, isFinal = true): void {
    const intention = this.state.intentions[i]!;
    const { violations, reported, scenario } = this.notes;
    intention.reported = outcome;
    intention.isFinal = isFinal;
    reported.push({ intention: i, outcome, evidence, isFinal });
    const needsProof = evidence !== "content" && evidence !== "gone";
    if (outcome === "committed" && needsProof && intention.timesApplied === 0)
      violations.push(`1: told committed by ${evidence}, never applied`);
    if (outcome === "unknown" && !this.isInDoubt(i))
      violations.push("7: told unknown, though nothing of it was ever in doubt");
    if (outcome !== "rejected") return;
    if (this.state.intentions.some((one) => one.origin === intention.origin && one.timesApplied > 0))
      violations.push("2: told rejected, was applied");
    intention.wasRejected = true;
    if (intention.changes.length > 1 && scenario.goesApartOnceRejected) this.state.mayGoApart = true;
  }

  commit(i: number, evidence: string, rows?: readonly (Row | undefined)[]): void {
    this.tell(i, "committed", evidence);
    this.accept(i, rows);
  }

  /** It is stored: the entities take it on. */
  accept(i: number, rows?: readonly (Row | undefined)[]): void {
    for (const { type, row: at, value } of this.changesOf(i)) {
      const entity = this.context.entities[at]!;
      if (entity.isDetached) continue;
      if (this.isSuperseded(i, at)) continue;
      if (entity.wants === i) entity.wants = -1;
      if (type !== "delete") {
        this.learn(at, rows?.[at]);
        entity.value = rows?.[at]?.value ?? value;
        continue;
      }
      entity.etag = undefined;
      const newer = this.state.intentions[entity.wants];
      if (newer !== undefined && newer.changes.length > 1) {
        const changes = newer.changes.filter((one) => one.row !== at || one.type !== "delete");
        this.state.intentions[entity.wants] = { ...newer, changes };
        entity.wants = -1;
      }
      if (entity.wants < 0) entity.isDetached = true;
    }
  }

  /** Whether something newer of ours is stored: a late proof of the older intention does not change the entity. */
  private isSuperseded(i: number, at: number): boolean {
    if (this.notes.weak === "older proof is taken over") return false;
    return this.state.intentions.some(
      ({ context, reported, changes }, j) =>
        j > i && context === this.at && reported === "committed" && changes.some(({ row }) => row === at),
    );
  }

  detach(at: number): void {
    Object.assign(this.context.entities[at]!, { wants: -1, isDetached: true });
  }
}
