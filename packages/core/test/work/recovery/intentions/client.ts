import { Knowledge } from "./knowledge.ts";
import { type Conclusion, type Finding, isLost, isUnjudged } from "./rules.ts";
import type { ModelAttempt, Row, RowOperation, Why } from "./state.ts";

/** One context: how its save goes on from one request to the next. The requests themselves are in `requests.ts`. */
export class Client extends Knowledge {
  idle(): void {
    this.context.position = { at: "idle" };
  }

  startSave(): void {
    const { context, state, notes } = this;
    const { weak } = notes;
    context.saves++;
    context.requests = 0;
    context.hadFault = false;
    for (const i of this.wanted()) {
      const { changes, wasRejected, reported, isFinal, origin } = state.intentions[i]!;
      if (wasRejected) this.intend(changes);
      else if (weak === "final unknown ends" && reported === "unknown" && isFinal)
        this.intend(changes, origin);
      else if (weak === "identity by request" && this.isInDoubt(i) && !this.isSameRequest(i)) {
        context.ended = [...context.ended, i];
        this.intend(changes, origin);
      }
    }
    if (weak === "group is split" && context.saves > 1) this.splitGroups();
    const wanted = this.wanted();
    const hasUnread = wanted.some((i) => this.hasUnread(i));
    const late = this.late();
    context.hadNoDoubt =
      !wanted.some((i) => this.isInDoubt(i)) && context.ended.length === 0 && !hasUnread && late.length === 0;
    if (late.length > 0 && !this.isExact) this.startRead("save", wanted);
    else if (wanted.length === 0 && context.ended.length === 0) this.idle();
    else this.goOn(wanted);
  }

  startResolve(): void {
    this.context.requests = 0;
    const { ended } = this.context;
    const intentions = this.wanted().filter((i) => this.isOpen(i));
    if (!this.isExact) this.startRead("resolve", intentions);
    else this.startClose("resolve", [...intentions, ...ended], intentions);
  }

  private isSameRequest(i: number): boolean {
    const now = this.changesOf(i).map((change) => this.operationOf(change));
    const last = this.lostOf(i).at(-1)!.operations;
    return (
      now.length === last.length &&
      now.every((one, k) => one?.type === last[k]!.type && one.etag === last[k]!.etag)
    );
  }

  private splitGroups(): void {
    for (const i of this.wanted()) {
      const group = this.state.intentions[i]!;
      if (group.changes.length === 1) continue;
      for (const change of group.changes) {
        const one = this.intend([change], group.origin);
        const { attempts, timesApplied } = group;
        this.state.intentions[one] = { ...this.state.intentions[one]!, attempts, timesApplied };
      }
    }
  }

  private hasUnread(i: number): boolean {
    return this.changesOf(i).some(({ row }) => this.context.entities[row]!.etag === "?");
  }

  isAged({ marker }: ModelAttempt): boolean {
    return marker !== undefined && this.state.aged[marker] === true;
  }

  /** Whether the marker of an intention may have been swept, so that it may not be sent again. */
  hasAged(i: number): boolean {
    if (this.notes.weak === "old marker is sent again") return false;
    return this.lostOf(i).some((one) => isUnjudged(one) && this.isAged(one));
  }

  /** What comes before sending: closing markers, or reading, if there is doubt. */
  goOn(wanted: readonly number[]): void {
    const { context } = this;
    if (this.isExact) {
      const todo = [...context.ended.filter((i) => this.isOpen(i)), ...wanted.filter((i) => this.hasAged(i))];
      if (todo.length > 0) return this.startClose("save", todo, wanted);
      context.ended = [];
      if (wanted.some((i) => this.hasUnread(i))) return this.startRead("save", wanted);
      // The same marker again is the cheapest question.
      return this.decide(undefined, [], "save", wanted);
    }
    const left = wanted.filter((i) => !this.refuseDead(i));
    const isAnyOpen = [...left, ...context.ended].some((i) => this.isOpen(i));
    if (left.length === 0 && !isAnyOpen) this.idle();
    else if (isAnyOpen || left.some((i) => this.hasUnread(i))) this.startRead("save", left);
    else context.position = { at: "send", intentions: left };
  }

  /** A version that was refused does not come back: nothing is sent under it any more. */
  private refuseDead(i: number): boolean {
    const isDead = this.changesOf(i).some(({ row }) => {
      const { etag, refusedEtag } = this.context.entities[row]!;
      return refusedEtag !== undefined && etag === refusedEtag;
    });
    if (!isDead || this.isOpen(i)) return false;
    this.tell(i, this.isInDoubt(i) ? "unknown" : "rejected", "refused before");
    return true;
  }

  startRead(why: Why, intentions: readonly number[]): void {
    this.context.position = { at: "read", why, intentions, rows: [], over: [] };
  }

  startClose(why: Why, todo: readonly number[], intentions: readonly number[]): void {
    const open = todo.filter((i) => this.isOpen(i));
    if (open.length === 0) this.idle();
    else this.context.position = { at: "close", why, todo: open, intentions };
  }

  /** Judges every attempt of an intention by rows that were read. */
  private settle(
    i: number,
    rows: readonly (Row | undefined)[] | undefined,
    over: readonly boolean[],
  ): Conclusion {
    const { rules, weak } = this.notes;
    const { attempts } = this.state.intentions[i]!;
    const findings = attempts.map((at): Finding | undefined => {
      const attempt = this.state.attempts[at]!;
      if (!isLost(attempt) || rows === undefined || this.isExact) return undefined;
      const isOver = weak === "over is noted after reading" ? attempt.state !== "open" : over[at] === true;
      return rules.judge(attempt, ({ row }) => rows[row], isEqual, isOver);
    });
    const found = rules.conclude(this.attemptsOf(i), findings);
    for (const [k, at] of attempts.entries()) {
      const finding = findings[k];
      if (finding === "never") this.state.attempts[at]!.state = "no";
      else if (finding === "closed") this.state.attempts[at]!.state = "closed";
    }
    return found;
  }

  /** What is told and sent, after reading; `rows` are undefined where nothing needed to be read. */
  decide(
    rows: readonly (Row | undefined)[] | undefined,
    over: readonly boolean[],
    why: Why,
    wanted: readonly number[],
  ): void {
    const { context } = this;
    for (const i of context.ended) {
      const found = this.settle(i, rows, over);
      if (found.is === "committed") this.commit(i, found.evidence, rows);
      if (found.is !== "in doubt" || found.isFinal) context.ended = context.ended.filter((j) => j !== i);
    }
    const ready = wanted.filter((i) => {
      const found = this.settle(i, rows, over);
      if (found.is === "committed") this.commit(i, found.evidence, rows);
      else if (why === "save") return this.isReady(i, rows, found.is === "in doubt" && found.isFinal);
      else this.tellUnsent(i, rows, found);
      return false;
    });
    if (ready.length > 0) context.position = { at: "send", intentions: ready };
    else this.idle();
  }

  private isGone(i: number, rows: readonly (Row | undefined)[] | undefined): boolean {
    const [first, ...rest] = this.changesOf(i);
    return (
      rows !== undefined && rest.length === 0 && first?.type === "delete" && rows[first.row] === undefined
    );
  }

  private tellUnsent(i: number, rows: readonly (Row | undefined)[] | undefined, found: Conclusion): void {
    if (this.notes.scenario.ignoresMissing && this.isInDoubt(i) && this.isGone(i, rows))
      this.commit(i, "gone");
    else if (found.is === "clear") this.tell(i, "rejected", "");
    else this.tell(i, "unknown", "", found.is === "in doubt" && found.isFinal);
  }

  /** Whether a pending intention is to be sent; otherwise its outcome is told. */
  private isReady(i: number, rows: readonly (Row | undefined)[] | undefined, isFinal: boolean): boolean {
    const { context, notes } = this;
    const { scenario } = notes;
    const conflict = this.learnVersions(i, rows);
    const [first] = this.changesOf(i);
    if (
      this.changesOf(i).some(
        ({ type, row }) => type === "delete" && context.entities[row]!.etag === undefined,
      )
    ) {
      this.removeInserted(i, rows?.[first!.row]);
      return false;
    }
    if (scenario.ignoresMissing && rows !== undefined) this.stripGone(i, rows);
    // Nothing can arrive any more: it is sent as if nothing was lost, and a refusal proves nothing.
    if (isFinal && conflict === undefined) return true;
    const canArrive = !this.isExact && this.canArrive(i);
    const maySend = this.changesOf(i).every((change) => {
      const operation = this.operationOf(change);
      const row = rows?.[change.row];
      if (rows === undefined) return true;
      if (scenario.ignoresMissing && change.type === "delete" && row === undefined) return true;
      return (
        operation !== undefined &&
        notes.rules.maySend(operation, row, { canArrive, isIdempotent: scenario.isIdempotent === true })
      );
    });
    const isGone = this.isGone(i, rows);
    if (conflict === undefined && !isGone && maySend) return true;
    const isInDoubt = this.isInDoubt(i);
    if (isGone && scenario.ignoresMissing) this.commit(i, "gone");
    else if (isGone && !isInDoubt && notes.weak === "gone is committed") this.commit(i, "nothing");
    else if (isGone && !isInDoubt && notes.weak === "gone is unknown") {
      this.tell(i, "unknown", "gone");
      this.accept(i);
    } else if (isGone && isInDoubt && isFinal) {
      this.tell(i, "unknown", "gone");
      this.detach(first!.row);
    } else if (isInDoubt) this.tell(i, "unknown", "", isFinal);
    else this.tell(i, "rejected", conflict ?? "conflict");
    return false;
  }

  /** Learns versions that an earlier proof left open. */
  private learnVersions(i: number, rows: readonly (Row | undefined)[] | undefined): string | undefined {
    let conflict: string | undefined;
    if (rows === undefined) return conflict;
    for (const { row: at } of this.changesOf(i)) {
      const row = rows[at];
      const { etag, value } = this.context.entities[at]!;
      if (etag !== "?") continue;
      if (row !== undefined && row.value === value) this.learn(at, row);
      else conflict = row === undefined ? "missing" : "etag";
    }
    return conflict;
  }

  /** An entity that is deleted while its insert is in doubt. */
  private removeInserted(i: number, row: Row | undefined): void {
    const at = this.changesOf(i)[0]!.row;
    const mayArrive = this.context.ended.some((j) => this.changesOf(j).some((one) => one.row === at));
    if (mayArrive) this.tell(i, "rejected", "not sent: its insert may still arrive");
    else if (row !== undefined && !this.isExact) this.tell(i, "rejected", "exists");
    else {
      this.detach(at);
      this.state.intentions[i]!.reported = "dropped";
    }
  }

  private canArrive(i: number): boolean {
    const isOfRow = ({ row }: RowOperation): boolean => this.changesOf(i).some((one) => one.row === row);
    const open = [i, ...this.context.ended].flatMap((j) => this.lostOf(j));
    return [...open, ...this.late()].some(
      ({ state, operations }) => state === "open" && operations.some(isOfRow),
    );
  }

  private stripGone(i: number, rows: readonly (Row | undefined)[]): void {
    if (this.changesOf(i).length === 1) return;
    for (const { type, row } of this.changesOf(i))
      if (type === "delete" && rows[row] === undefined) this.strip(i, row);
  }

  /** Under `removeMissing: "ignore"` a removal whose row is gone is done, and the rest of its group goes on. */
  strip(i: number, row: number): void {
    const intention = this.state.intentions[i]!;
    this.state.intentions[i] = { ...intention, changes: intention.changes.filter((one) => one.row !== row) };
    this.context.entities[row]!.etag = undefined;
    this.detach(row);
    this.state.mayGoApart = true;
  }

  /** A refusal of the last attempt, or none reached the storage. */
  refused(intentions: readonly number[], why: string): void {
    const { scenario, weak } = this.notes;
    const isResponse = (i: number): boolean => !this.isInDoubt(i) || weak === "refusal is a response";
    for (const i of intentions.filter(isResponse)) {
      const isGone =
        why === "missing" && this.changesOf(i).length === 1 && this.changesOf(i)[0]!.type === "delete";
      if (isGone && scenario.ignoresMissing) this.commit(i, "gone");
      else this.tell(i, "rejected", why);
    }
    const left = intentions.filter((i) => !isResponse(i));
    for (const i of left) if (!this.isOpen(i)) this.tell(i, "unknown", why);
    const open = left.filter((i) => this.isOpen(i));
    if (open.length > 0) this.askAfterSending(open);
    else this.idle();
  }

  askAfterSending(intentions: readonly number[]): void {
    if (this.isExact) this.startClose("after send", intentions, intentions);
    else this.startRead("after send", intentions);
  }
}

const isEqual = ({ type, value, other }: RowOperation, row: Row): boolean =>
  row.value === value && (type === "merge" || row.other === other);
