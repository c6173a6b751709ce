import {
  type Entry,
  isAsKnown,
  type SaveSettings,
  type Sent,
  type Told,
  type Uncertain,
} from "./reference-entry.ts";
import type { Lost, ReferenceLedger, Resolved } from "./reference-ledger.ts";
import { judge, type Member, type Row, type Write } from "./reference-store.ts";

/** The context whose entities wait. */
export interface Owner {
  readonly entries: ReadonlyMap<string, Entry>;
  isInDoubt(entry: Entry): boolean;
  accept(sent: Sent, isReadBack: boolean): void;
  acceptGone(entry: Entry): void;
  release(successor: Entry): void;
  forgetQuietly(entry: Entry): void;
}

/** What is concluded of each attempt that entities wait for, and then of each entity. */
export class Resolution {
  readonly #context: Owner;
  readonly #ledger: ReferenceLedger;
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #settings: SaveSettings;
  readonly #now: () => number;
  readonly #found = new Map<Uncertain, ReturnType<typeof judge>>();
  readonly #committed: Resolved[] = [];
  readonly #blocked = new Map<Entry, Resolved>();

  constructor(
    context: Owner,
    ledger: ReferenceLedger,
    rows: ReadonlyMap<string, Row>,
    settings: SaveSettings,
    now: () => number,
  ) {
    this.#context = context;
    this.#ledger = ledger;
    this.#rows = rows;
    this.#settings = settings;
    this.#now = now;
  }

  run(entries: readonly Entry[]): {
    readonly committed: readonly Resolved[];
    readonly blocked: ReadonlyMap<Entry, Resolved>;
  } {
    const asked = this.#askedOf(entries);
    const all = new Set([...asked.values()].flat().map(({ attempt }) => attempt));
    for (const attempt of [...all].toSorted((a, b) => b.serial - a.serial)) this.#conclude(attempt);
    for (const [entry, lost] of asked) this.#decide(entry, lost);
    return { committed: this.#committed, blocked: this.#blocked };
  }

  /** Entities, and those that were sent with them, each with all that it waits for, the newest first. */
  #askedOf(entries: readonly Entry[]): Map<Entry, readonly Lost[]> {
    const asked = new Map<Entry, readonly Lost[]>();
    const left = [...entries];
    for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
      const open = asked.has(entry) ? [] : this.#ledger.open(entry.key).toReversed();
      if (open.length === 0) continue;
      asked.set(entry, open);
      for (const { attempt } of open)
        for (const { write } of this.#waiting(attempt).map(({ sent }) => sent)) {
          const other = this.#context.entries.get(write.key);
          if (other !== undefined) left.push(other);
        }
    }
    return asked;
  }

  /** What rows wait for an attempt. */
  #waiting(attempt: Uncertain): Lost[] {
    return attempt.sent.flatMap(
      ({ write }) => this.#ledger.open(write.key).find((one) => one.attempt === attempt) ?? [],
    );
  }

  #conclude(attempt: Uncertain): void {
    const waiting = this.#waiting(attempt);
    if (this.#settings.readsFail || waiting.length === 0) return;
    const wasOver = this.#now() > attempt.until;
    const found = judge(
      attempt.sent.map(({ write }) => write),
      this.#rows,
      wasOver,
    );
    this.#found.set(attempt, found);
    if (found.finding === "never") this.#ledger.remove(attempt);
    if (found.finding === "closed") this.#ledger.close(attempt);
    if (found.finding !== "content") return;
    // Equal values prove nothing while a newer attempt may have stored the same.
    if (waiting.some(({ sent }) => this.#ledger.open(sent.write.key).at(-1)?.attempt !== attempt)) return;
    const hasLeft = attempt.sent.some(
      (sent, i) => found.members[i] === "equal" && !waiting.some((one) => one.sent === sent),
    );
    if (!hasLeft) this.#accept(attempt, waiting);
    else if (wasOver) this.#ledger.close(attempt);
  }

  #accept(attempt: Uncertain, waiting: readonly Lost[]): void {
    const isOwn = ({ sent }: Lost): boolean => this.#context.entries.get(sent.write.key) === sent.entry;
    for (const { sent } of waiting.filter((one) => !isOwn(one))) this.#succeed(sent);
    for (const one of waiting) {
      const { entry, write } = one.sent;
      const isRemoval = write.type === "delete";
      if (isOwn(one)) {
        if (isRemoval) this.#context.acceptGone(entry);
        else this.#context.accept(one.sent, true);
      }
      this.#report(entry, write, isRemoval && this.#mustWin(attempt) ? "unknown" : "committed");
    }
  }

  /** Another entity has the key since: it replaces what is stored, or is inserted if nothing is. */
  #succeed({ write, after }: Sent): void {
    const successor = this.#context.entries.get(write.key);
    if (successor === undefined) return;
    this.#ledger.end(write.key);
    if (write.type === "delete") {
      if (successor.intent !== "remove") successor.intent = "add";
      this.#context.release(successor);
      return;
    }
    const row = this.#rows.get(write.key) as Row;
    if (successor.intent === "add" && after !== undefined && isAsKnown(after, row))
      successor.replaces = row.version;
  }

  #decide(entry: Entry, asked: readonly Lost[]): void {
    const isStored = this.#committed.some((one) => one.entry === entry);
    if (this.#context.entries.get(entry.key) !== entry || isStored) return;
    const states = new Map(this.#ledger.of(entry.key).map((one) => [one.attempt, one.state]));
    const left = asked.filter(({ attempt }) => states.has(attempt));
    if (entry.intent === "remove" && entry.version === undefined) {
      this.#decideUnstored(entry, asked, left);
      return;
    }
    const gone = left.find((one) => this.#memberOf(one) === "gone");
    if (gone !== undefined) {
      this.#decideGone(entry, gone, asked);
      return;
    }
    const newest = left.find(({ attempt }) => states.get(attempt) === "open");
    if (newest === undefined) return;
    const found = this.#found.get(newest.attempt);
    const row = this.#rows.get(entry.key);
    const { intent, snapshot, version } = entry;
    const isInsert = intent === "add" && snapshot === undefined && entry.replaces === undefined;
    const condition = intent === "add" ? (entry.replaces ?? version) : version;
    const isFenced = isInsert || (!intent.startsWith("upsert") && typeof condition === "number");
    const isPossible = isInsert ? row === undefined : isFenced && row?.version === condition;
    const mayGo = found !== undefined && ((found.finding === "not yet" && isFenced) || isPossible);
    if (!mayGo) this.#block(entry, newest);
  }

  #decideUnstored(entry: Entry, asked: readonly Lost[], left: readonly Lost[]): void {
    const [newest] = left;
    if (this.#context.isInDoubt(entry)) {
      this.#block(entry, newest as Lost);
      return;
    }
    const row = this.#settings.readsFail ? undefined : this.#rows.get(entry.key);
    if (row !== undefined && this.#memberOf(asked[0] as Lost) === "equal") {
      entry.version = row.version;
      return;
    }
    if (newest !== undefined && row !== undefined) this.#block(entry, newest);
    this.#context.forgetQuietly(entry);
  }

  #decideGone(entry: Entry, { attempt, sent }: Lost, asked: readonly Lost[]): void {
    if (entry !== sent.entry) {
      this.#ledger.end(entry.key);
      if (entry.intent !== "remove") entry.intent = "add";
      this.#context.release(entry);
      return;
    }
    // Taken back since, and something else was sent: the row may have been removed after that.
    if (entry.intent !== "remove" && asked[0]?.attempt !== attempt) {
      this.#ledger.drop(entry.key, attempt);
      return;
    }
    this.#context.acceptGone(entry);
    this.#report(entry, sent.write, this.#mustWin(attempt) ? "unknown" : "committed");
  }

  #memberOf({ attempt, sent }: Lost): Member | undefined {
    const found = this.#found.get(attempt);
    const proves = found?.finding !== "not yet" && found?.finding !== "never";
    return proves ? found?.members[attempt.sent.indexOf(sent)] : undefined;
  }

  #mustWin({ mustWin }: Uncertain): boolean {
    return mustWin || this.#settings.removeMissing === "error";
  }

  #block(entry: Entry, { sent }: Lost): void {
    const own = this.#ledger.of(entry.key).filter((one) => one.sent.entry === entry);
    const write = own.at(-1)?.sent.write ?? sent.write;
    this.#report(entry, write, own.length > 0 || sent.entry === entry ? "unknown" : "rejected");
  }

  #report(entry: Entry, write: Write, outcome: Told["outcome"]): void {
    if (outcome === "committed") this.#committed.push({ entry, write, outcome });
    else this.#blocked.set(entry, { entry, write, outcome });
  }
}
