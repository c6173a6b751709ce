// The unit of work once more, as plainly as can be: what every command must do to states, values and the store.
import type { Fault } from "@partita/testing";
import type { EntityState, MergeOption } from "../../../../src/index.ts";
import {
  isConditional,
  asksForSame,
  judge,
  type ReferenceStore,
  type Row,
  type Values,
  type Write,
} from "./reference-store.ts";

export type Name = "p" | "q" | "r";
export const names: readonly Name[] = ["p", "q", "r"];

/** Values by property; a property that is missing here was not loaded, one that is undefined is absent. */
type Known = Partial<Record<Name, number | undefined>>;

export interface Entry {
  /** Its place among the others. */
  id: number;
  readonly key: string;
  intent: "none" | "add" | "upsert-merge" | "upsert-replace" | "remove";
  /** For an addition: the version it replaces. */
  replaces?: number | "*" | undefined;
  values: Known;
  snapshot: Known | undefined;
  extra: Values;
  isWhole: boolean;
  version: number | "*" | undefined;
  isStale: boolean;
  exists: boolean;
  isForced: boolean;
  /** The one property that is sent to keep a late write out. */
  fence?: Name | undefined;
  /** Whether the last save met a conflict. */
  isRefused: boolean;
  uncertain: Uncertain[];
  /** What was uncertain when the row was read under the edits that ask for it. */
  lost: Uncertain[];
  replaced?: Entry | undefined;
}

interface Sent {
  readonly entry: Entry;
  readonly write: Write;
  /** Whether `update()` had asked for it. */
  readonly isForced: boolean;
  /** What is known once it is stored. */
  readonly after: Pick<Entry, "snapshot" | "extra" | "isWhole"> | undefined;
}

interface Uncertain {
  readonly sent: readonly Sent[];
  readonly serial: number;
  /** Until when a request of it may arrive. */
  readonly until: number;
  /** Whether one removal must win, as the save that sent it said. */
  readonly mustWin: boolean;
}

/** How a save is made. */
export interface SaveSettings {
  readonly isBatched: boolean;
  readonly removeMissing: RemoveMissing;
  /** Whether no read of the save is answered. */
  readonly readsFail: boolean;
  /** Keys of the entities to save; all when undefined. */
  readonly only?: readonly string[] | undefined;
}

type RemoveMissing = "conflict" | "ignore" | "error";

export interface Told {
  readonly key: string;
  readonly outcome: "committed" | "rejected" | "unknown";
}

const attempts = 3;
/** How long after it was sent a request may arrive, in milliseconds. */
const latestMs = 60_000;

export class ReferenceContext {
  readonly entries = new Map<string, Entry>();
  readonly #store: ReferenceStore;
  readonly #now: () => number;
  #settings: SaveSettings = { isBatched: true, removeMissing: "conflict", readsFail: false };
  /** Unconditional writes with an answer that was lost: a late request of theirs may overwrite what is stored since. */
  readonly #mayComeLate: Uncertain[] = [];
  #ids = 0;

  /** @param now - milliseconds that only grow */
  constructor(store: ReferenceStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  stateOf(entry: Entry): EntityState {
    if (entry.intent === "remove") return "deleted";
    if (entry.intent === "add") return entry.snapshot === undefined ? "added" : "modified";
    if (entry.intent !== "none") return "upsert";
    return entry.isForced || entry.fence !== undefined || changed(entry).length > 0
      ? "modified"
      : "unchanged";
  }

  /** Each returns the entry, or undefined where the library must refuse. */
  add(key: string, values: Values): Entry | undefined {
    const other = this.entries.get(key);
    if (other !== undefined && other.intent !== "remove") return undefined;
    const entry = this.#entry(key, { p: undefined, q: undefined, r: undefined, ...values });
    entry.intent = "add";
    if (other !== undefined) {
      entry.replaces = other.version;
      entry.version = other.version;
      entry.replaced = other;
      entry.uncertain = [...other.uncertain];
      this.entries.delete(key);
    }
    this.entries.set(key, entry);
    return entry;
  }

  addBack(entry: Entry): void {
    if (entry.snapshot !== undefined && !entry.isWhole) entry.intent = "none";
    else {
      entry.intent = "add";
      entry.replaces = entry.version;
    }
  }

  upsert(key: string, values: Values, mode: "merge" | "replace"): Entry | undefined {
    if (this.entries.has(key)) return undefined;
    const entry = this.#entry(key, { p: undefined, q: undefined, r: undefined, ...values });
    entry.intent = `upsert-${mode}`;
    this.entries.set(key, entry);
    return entry;
  }

  attach(key: string, values: Values): Entry | undefined {
    if (this.entries.has(key)) return undefined;
    const entry = this.#entry(key, { p: undefined, q: undefined, r: undefined, ...values });
    entry.snapshot = { ...values } as Known;
    entry.isWhole = false;
    entry.version = "*";
    this.entries.set(key, entry);
    return entry;
  }

  /** A row that a query or lookup returned. */
  take(key: string, option: Exclude<MergeOption, "noTracking">, loaded: readonly Name[]): void {
    const row = this.#store.rows.get(key);
    if (row === undefined) return;
    const entry = this.entries.get(key);
    if (entry === undefined) {
      const fresh = this.#entry(key, {});
      this.#overwrite(fresh, row, loaded);
      this.entries.set(key, fresh);
    } else if (entry.intent.startsWith("upsert") || (entry.intent === "add" && entry.snapshot === undefined))
      entry.exists = true;
    else if (option === "appendOnly") {
      if (entry.version !== "*") entry.isStale = entry.version !== row.version;
      this.#fill(entry, row, loaded);
    } else if (option === "overwriteChanges") {
      entry.intent = "none";
      entry.isForced = false;
      entry.fence = undefined;
      this.#overwrite(entry, row, loaded);
    } else this.preserve(entry, row, loaded);
  }

  /** Whether a lookup sends a request. */
  mustRead(entry: Entry | undefined): boolean {
    if (entry === undefined) return true;
    const { snapshot, intent } = entry;
    return intent !== "remove" && snapshot !== undefined && names.some((name) => !(name in snapshot));
  }

  /** What a lookup does to a tracked entity: it reads what was left out. */
  complete(entry: Entry): void {
    const { snapshot, version } = entry;
    const row = this.#store.rows.get(entry.key);
    if (entry.intent === "remove" || snapshot === undefined || row === undefined) return;
    const missing = names.filter((name) => !(name in snapshot));
    if (missing.length === 0) return;
    if (version !== "*") entry.isStale = version !== row.version;
    this.#fill(entry, row, names);
  }

  /** What was left out, from a row of the same version. */
  #fill(entry: Entry, row: Row, loaded: readonly Name[]): void {
    const { snapshot, version } = entry;
    const missing = names.filter((name) => !(name in (snapshot ?? {})));
    if (snapshot === undefined || version !== row.version || missing.length === 0) return;
    const edits = changed(entry);
    for (const name of loaded) {
      // What was only claimed gives way, unless it was edited since.
      if (missing.includes(name)) entry.values[name] ??= row.values[name];
      else if (!edits.includes(name)) entry.values[name] = row.values[name];
      snapshot[name] = row.values[name];
    }
    if (loaded.length < names.length) return;
    entry.extra = row.values.x === undefined ? {} : { x: row.values.x };
    entry.isWhole = true;
  }

  preserve(entry: Entry, row: Row, loaded: readonly Name[], isAll = loaded.length === names.length): void {
    const edits = entry.intent === "remove" || entry.snapshot === undefined ? [] : changed(entry);
    const mine = { ...entry.values };
    const { uncertain, lost } = entry;
    const isAdopted = this.#overwrite(entry, row, loaded, isAll);
    if (isAdopted) entry.lost = [...lost, ...uncertain.filter((one) => !entry.uncertain.includes(one))];
    for (const name of edits) entry.values[name] = mine[name];
    if (isAdopted && entry.intent === "add") entry.replaces = row.version;
  }

  /** Whether the version was taken on: not where more is known of the entity than a newer row tells of. */
  #overwrite(
    entry: Entry,
    row: Row,
    loaded: readonly Name[],
    isAll = loaded.length === names.length,
  ): boolean {
    const isSame = entry.version === row.version;
    const knowsMore = names.some((name) => name in (entry.snapshot ?? {}) && !loaded.includes(name));
    const snapshot: Known = isAll ? {} : { ...entry.snapshot };
    for (const name of loaded) {
      entry.values[name] = row.values[name];
      snapshot[name] = row.values[name];
    }
    const hadWhole = entry.snapshot !== undefined && entry.isWhole;
    entry.snapshot = snapshot;
    entry.isWhole = isAll || (hadWhole && isSame);
    if (!isAll && !isSame && knowsMore) {
      entry.isStale = entry.version !== "*";
      return false;
    }
    if (isAll) entry.extra = row.values.x === undefined ? {} : { x: row.values.x };
    entry.version = row.version;
    settle(entry, this.#stillPossible(entry, row));
    return true;
  }

  reload(entry: Entry, keepsEdits: boolean): void {
    const row = this.#store.rows.get(entry.key);
    if (keepsEdits && entry.snapshot !== undefined && row !== undefined) {
      this.preserve(entry, row, names);
      return;
    }
    const isNew = entry.snapshot === undefined && entry.intent !== "remove";
    const mine = keepsEdits && entry.intent !== "remove" ? { ...entry.values } : {};
    if (row !== undefined) {
      entry.intent = "none";
      entry.isForced = false;
      entry.fence = undefined;
      entry.replaced = undefined;
      this.#overwrite(entry, row, names);
      for (const name of names) entry.values[name] = mine[name] ?? entry.values[name];
    } else if (isNew) {
      Object.assign(entry, { replaces: undefined, version: undefined, replaced: undefined });
      settle(entry, this.#stillPossible(entry, undefined));
    } else {
      const possible = this.#stillPossible(entry, undefined);
      if (entry.intent === "remove" && possible.length > 0) settle(entry, possible);
      else this.entries.delete(entry.key);
    }
  }

  remove(entry: Entry): boolean {
    const mayBeStored = entry.uncertain.length > 0;
    if (entry.intent.startsWith("upsert") && !mayBeStored) return false;
    if (entry.intent === "add" && entry.snapshot === undefined && !mayBeStored) this.forget(entry);
    else entry.intent = "remove";
    return true;
  }

  discard(entry: Entry): void {
    if (entry.snapshot === undefined) {
      this.forget(entry);
      return;
    }
    entry.intent = "none";
    entry.isForced = false;
    entry.fence = undefined;
    entry.values = { p: undefined, q: undefined, r: undefined, ...entry.snapshot };
    const isDoubtful = entry.isStale || entry.uncertain.length > 0 || entry.isRefused;
    settle(entry);
    entry.isStale = isDoubtful;
  }

  forget(entry: Entry): void {
    this.entries.delete(entry.key);
    if (entry.replaced === undefined) return;
    entry.replaced.id = this.#ids++;
    this.entries.set(entry.key, entry.replaced);
  }

  /** What a save must tell; "invalid" when it must be refused as a whole. */
  save(faults: (Fault | undefined)[], settings: SaveSettings): Told[] | "invalid" {
    this.#settings = settings;
    const { only } = settings;
    const first = this.#saveOnce(faults, (entry) => only?.includes(entry.key) !== false);
    if (first === "invalid") return first;
    const { changes, told, groups, conflicted } = first;
    // A conflict may be with a write of our own, or be over: what is proved now is not refused.
    const refused = changes.filter(
      ({ entry }) =>
        told.get(entry)?.outcome === "rejected" && conflicted.has(entry) && entry.uncertain.length > 0,
    );
    if (refused.length > 0) {
      const { committed, unknown } = this.#resolveAll(refused.map(({ entry }) => entry));
      for (const [entry, uncertain] of unknown) {
        const change = refused.find((sent) => sent.entry === entry);
        const isOfChange =
          change !== undefined &&
          !entry.uncertain.includes(uncertain) &&
          uncertain.sent.some((one) => one.entry === entry && asksForSame(one.write, change.write));
        if (isOfChange) told.set(entry, { key: entry.key, outcome: "unknown" });
      }
      for (const entry of committed) told.set(entry, { key: entry.key, outcome: "committed" });
      const stored = committed;
      const again = new Set(
        groups
          .filter((group) => group.some(({ entry }) => stored.has(entry)))
          .flatMap((group) => group.map(({ entry }) => entry)),
      );
      if (again.size > 0) {
        const second = this.#saveOnce(faults, (entry) => again.has(entry));
        if (second !== "invalid") for (const [entry, one] of second.told) told.set(entry, one);
      }
    }
    return Array.from(told, ([entry, one]) => {
      const sent = changes.find((change) => change.entry === entry);
      return sent === undefined ? one : unlessSentBefore(sent, one);
    });
  }

  /** One round of a save: resolves what is in doubt, then sends what is pending. */
  #saveOnce(
    faults: (Fault | undefined)[],
    isInScope: (entry: Entry) => boolean,
  ):
    | {
        readonly changes: readonly Sent[];
        readonly groups: readonly (readonly Sent[])[];
        readonly told: Map<Entry, Told>;
        /** What was refused in a conflict, others in its transaction aside. */
        readonly conflicted: ReadonlySet<Entry>;
      }
    | "invalid" {
    const { committed, unknown } = this.#resolveAll(this.#pending().filter(isInScope));
    const pending = this.#pending().filter((entry) => isInScope(entry) && !unknown.has(entry));
    // What it holds is sent once more, to keep a late write out.
    for (const entry of pending)
      if (entry.uncertain.length > 0 && entry.intent === "none" && changed(entry).length === 0)
        if (!entry.isForced) entry.fence = names.find((name) => entry.snapshot?.[name] !== undefined);
    if (pending.some(isInvalid)) return "invalid";
    const changes = pending.flatMap((entry) => {
      const sent = sentOf(entry);
      return sent === undefined ? [] : [sent];
    });
    const told = new Map<Entry, Told>();
    for (const entry of committed) told.set(entry, { key: entry.key, outcome: "committed" });
    for (const entry of unknown.keys()) told.set(entry, { key: entry.key, outcome: "unknown" });
    for (const entry of pending)
      if (entry.uncertain.length > 0 && !changes.some((sent) => sent.entry === entry))
        told.set(entry, { key: entry.key, outcome: "unknown" });
    const groups = new Map<string, Sent[]>();
    for (const sent of changes) {
      const id = this.#settings.isBatched ? sent.entry.key.slice(0, 1) : sent.entry.key;
      groups.set(id, [...(groups.get(id) ?? []), sent]);
    }
    const conflicted = new Set<Entry>();
    for (const group of groups.values())
      for (const [entry, one] of this.#send(group, faults, conflicted)) told.set(entry, one);
    return { changes, groups: [...groups.values()], told, conflicted };
  }

  /** Resolves what entities wait for, the newest first. Entities of which it stays unknown are not sent by this save. */
  #resolveAll(waiting: readonly Entry[]): {
    readonly committed: ReadonlySet<Entry>;
    readonly unknown: ReadonlyMap<Entry, Uncertain>;
  } {
    const writes = [...new Set(waiting.flatMap((entry) => entry.uncertain))].toSorted(
      (a, b) => b.serial - a.serial,
    );
    const committed = new Set<Entry>();
    const unknown: { readonly entry: Entry; readonly uncertain: Uncertain; readonly isFinal: boolean }[] = [];
    for (const uncertain of writes)
      if (waiting.some((entry) => entry.uncertain.includes(uncertain)))
        this.#resolve(uncertain, {
          committed: (entry) => void committed.add(entry),
          unknown: (entry, isFinal) => void unknown.push({ entry, uncertain, isFinal }),
        });
    const left = new Map<Entry, Uncertain>();
    for (const { entry, uncertain, isFinal } of unknown)
      if (!committed.has(entry) && !left.has(entry) && (isFinal || entry.uncertain.includes(uncertain)))
        left.set(entry, uncertain);
    return { committed, unknown: left };
  }

  /** Whether a row of somebody else looks as if a late request of ours had overwritten what was stored since. */
  looksOverwritten(): boolean {
    return this.#mayComeLate.some((late) =>
      late.sent.some(({ write }) => {
        const [row, entry] = [this.#store.rows.get(write.key), this.entries.get(write.key)];
        const isOurs =
          entry !== undefined && (entry.version === row?.version || entry.uncertain.includes(late));
        return !isOurs && judge([write], this.#store.rows).verdict === "applied";
      }),
    );
  }

  #pending(): Entry[] {
    return [...this.entries.values()]
      .toSorted((a, b) => a.id - b.id)
      .filter((entry) => entry.uncertain.length > 0 || this.stateOf(entry) !== "unchanged");
  }

  /** Accepts what is proved stored; what is not goes on by itself. */
  #resolve(
    uncertain: Uncertain,
    report: {
      readonly committed: (entry: Entry) => void;
      readonly unknown: (entry: Entry, isFinal: boolean) => void;
    },
  ): void {
    const { sent: all } = uncertain;
    const current = ({ entry }: Sent): Entry | undefined => {
      const now = this.entries.get(entry.key);
      return now?.uncertain.includes(uncertain) === true ? now : undefined;
    };
    const waiting = all.map(current).filter((entry) => entry !== undefined);
    if (this.#settings.readsFail) {
      for (const entry of waiting) report.unknown(entry, false);
      return;
    }
    const isOver = this.#now() > uncertain.until;
    const { rows } = this.#store;
    const judged = judge(
      all.map(({ write }) => write),
      rows,
    );
    const { members } = judged;
    // Equal values of what was stored or read since do not speak for the others.
    const hasLeft = all.some((sent, i) => members[i] === "applied" && current(sent) === undefined);
    const verdict = judged.verdict === "applied" && hasLeft ? "undecided" : judged.verdict;
    if (verdict === "applied") {
      // Equal values, while a later write may have stored the same.
      const hasNewer = waiting.some((entry) => entry.uncertain.at(-1) !== uncertain);
      if (hasNewer) for (const entry of waiting) report.unknown(entry, false);
      else this.#acceptAll(uncertain, current, report);
      return;
    }
    const isDisproved = isOver && verdict === "unchanged";
    for (const [i, sent] of all.entries()) {
      const entry = current(sent);
      if (entry === undefined) continue;
      const { write } = sent;
      const mayBeInserted = members[i] === "applied" && verdict !== "unchanged";
      const row = write.type !== "insert" || mayBeInserted ? rows.get(write.key) : undefined;
      if (isDisproved) this.#stopWaiting(entry, uncertain, row);
      else if (members[i] === "gone" && verdict !== "unchanged") {
        if (entry !== sent.entry) this.#release(entry);
        // Taken back since, and something else was sent: the row may have been removed after that.
        else if (entry.intent !== "remove" && entry.uncertain.at(-1) !== uncertain)
          this.#stopWaiting(entry, uncertain, row);
        else {
          this.#acceptGone(entry);
          if (this.#mustWin(uncertain)) report.unknown(entry, true);
          else report.committed(entry);
        }
      } else if (isOver) {
        entry.lost = [...entry.lost, uncertain];
        if (members[i] !== "absent") report.unknown(entry, true);
        this.#stopWaiting(entry, uncertain, row);
      } else {
        const isVain = entry.intent === "remove" && entry.version === undefined;
        const isNotStored = verdict === "unchanged" || members[i] === "absent";
        const mayGo = isConditional(write) && (isNotStored || entry !== sent.entry);
        if (isVain || !mayGo) report.unknown(entry, false);
      }
    }
  }

  #acceptAll(
    uncertain: Uncertain,
    current: (sent: Sent) => Entry | undefined,
    report: {
      readonly committed: (entry: Entry) => void;
      readonly unknown: (entry: Entry, isFinal: boolean) => void;
    },
  ): void {
    const own = uncertain.sent.filter((sent) => current(sent) === sent.entry);
    for (const sent of uncertain.sent) {
      const successor = current(sent);
      if (sent.write.type !== "delete" || successor === undefined || successor === sent.entry) continue;
      this.#release(successor);
    }
    for (const sent of own) {
      const isRemoval = sent.write.type === "delete";
      if (isRemoval) this.#acceptGone(sent.entry);
      else this.#accept(sent, true);
      if (isRemoval && this.#mustWin(uncertain)) report.unknown(sent.entry, true);
      else report.committed(sent.entry);
    }
  }

  #mustWin({ mustWin }: Uncertain): boolean {
    return mustWin || this.#settings.removeMissing === "error";
  }

  /** What was removed right after a write that did not happen needs no removal, unless its row is there. */
  #stopWaiting(entry: Entry, uncertain: Uncertain, row: Row | undefined): void {
    entry.uncertain = entry.uncertain.filter((one) => one !== uncertain);
    if (entry.intent !== "remove" || entry.version !== undefined) return;
    if (row !== undefined) entry.version = row.version;
    else if (entry.uncertain.length === 0) this.entries.delete(entry.key);
  }

  /** Writes whose own condition still holds of what is known to be stored, and that may still arrive. */
  #stillPossible({ uncertain, key }: Entry, row: Row | undefined): Uncertain[] {
    return uncertain.filter(({ sent, until }) => {
      const own = sent.find(({ write }) => write.key === key)?.write;
      if (this.#now() > until) return false;
      return own?.type === "insert"
        ? row === undefined
        : own?.version !== undefined && own.version === row?.version;
    });
  }

  /** What took the key of a row that is gone is to be inserted. */
  #release(successor: Entry): void {
    if (successor.intent === "remove") this.entries.delete(successor.key);
    Object.assign(successor, {
      replaces: undefined,
      version: undefined,
      replaced: undefined,
      uncertain: [],
    });
  }

  #acceptGone(entry: Entry): void {
    settle(entry);
    if (entry.intent === "remove") this.entries.delete(entry.key);
    else if (entry.intent === "none") entry.isStale = true;
    else
      Object.assign(entry, { intent: "add", replaces: undefined, snapshot: undefined, version: undefined });
  }

  #send(
    group: readonly Sent[],
    faults: (Fault | undefined)[],
    conflicted: Set<Entry>,
  ): (readonly [Entry, Told])[] {
    const writes = group.map(({ write }) => write);
    const isFenced = writes.some(isConditional);
    const { removeMissing, readsFail } = this.#settings;
    const mustWin = removeMissing === "error";
    let doubt = false;
    const end = (outcome: Told["outcome"], isReadBack = false): (readonly [Entry, Told])[] => {
      const uncertain: Uncertain = {
        sent: group,
        serial: this.#ids++,
        until: this.#now() + latestMs,
        mustWin,
      };
      if (doubt && !isFenced) this.#mayComeLate.push(uncertain);
      const { members } = judge(writes, this.#store.rows);
      return group.map((sent, i) => {
        const { entry } = sent;
        const isGone = members[i] === "gone" && !readsFail && (outcome === "unknown" || isReadBack);
        if (isGone) this.#acceptGone(entry);
        else if (outcome === "committed") this.#accept(sent, isReadBack);
        else if (outcome === "unknown") entry.uncertain = [...entry.uncertain, uncertain];
        const told = isGone ? (mustWin ? "unknown" : "committed") : outcome;
        return [entry, { key: entry.key, outcome: told }] as const;
      });
    };
    for (let attempt = 1; ; attempt++) {
      const fault = faults.shift();
      const isCarriedOut = fault === undefined || fault.endsWith("-after");
      const answer = isCarriedOut ? this.#store.transact(writes) : undefined;
      if (fault === undefined && answer === undefined) return end("committed");
      // Also a refusal may be lost.
      const refusal = fault === undefined ? answer : undefined;
      for (const [i, { entry }] of group.entries()) entry.isRefused ||= refusal?.index === i;
      if (refusal === undefined) doubt ||= fault !== "refused";
      if (refusal === undefined && attempt < attempts && (!doubt || isFenced)) continue;
      const { verdict } = judge(writes, this.#store.rows);
      if (doubt && readsFail) return end("unknown");
      if (doubt && verdict === "applied") return end("committed", true);
      // A version does not come back, while a key may become free for a late request.
      const version = writes[refusal?.index ?? 0]?.version;
      const isForGood = refusal?.reason === "etag" || (refusal?.reason === "missing" && version !== "*");
      if (doubt && !(isForGood && verdict === "unchanged" && group.length > 1)) return end("unknown");
      const culprit = group[refusal?.index ?? -1];
      const isMissing = culprit?.write.type === "delete" && refusal?.reason === "missing";
      if (isMissing && removeMissing === "ignore") {
        this.#acceptGone(culprit.entry);
        const rest = group.filter((sent) => sent !== culprit);
        const others = rest.length === 0 ? [] : this.#send(rest, faults, conflicted);
        return [[culprit.entry, { key: culprit.entry.key, outcome: "committed" }], ...others];
      }
      if (culprit !== undefined) conflicted.add(culprit.entry);
      return end("rejected");
    }
  }

  #accept({ entry, write, after, isForced }: Sent, isReadBack: boolean): void {
    // The store's own answer under a version: what was sent under it before can no longer happen.
    if (!isReadBack && typeof write.version === "number")
      for (const earlier of entry.uncertain.filter((one) => isUnder(write, one)))
        for (const { entry: other } of earlier.sent) {
          other.uncertain = other.uncertain.filter((one) => one !== earlier);
          const isVain = other.snapshot === undefined && other.version === undefined;
          const isTracked = this.entries.get(other.key) === other;
          if (isTracked && other.intent === "remove" && isVain && other.uncertain.length === 0)
            this.entries.delete(other.key);
        }
    if (after === undefined) {
      this.#acceptGone(entry);
      return;
    }
    settle(entry);
    const row = this.#store.rows.get(write.key) as Row;
    // What was asked for since it was sent is still to be sent.
    if (!isReadBack || isForced) entry.isForced = false;
    entry.fence = undefined;
    entry.replaced = undefined;
    if (entry.intent !== "remove") entry.intent = "none";
    Object.assign(entry, after, { version: row.version });
    if (isReadBack) {
      const loaded = names.filter((name) => name in (after.snapshot as Known));
      this.preserve(entry, row, after.isWhole ? names : loaded, after.isWhole);
    }
  }

  #entry(key: string, values: Known): Entry {
    return {
      id: this.#ids++,
      key,
      intent: "none",
      values,
      snapshot: undefined,
      extra: {},
      isWhole: true,
      version: undefined,
      isStale: false,
      exists: false,
      isForced: false,
      isRefused: false,
      uncertain: [],
      lost: [],
    };
  }
}

function settle(entry: Entry, uncertain: Uncertain[] = []): void {
  entry.isStale = false;
  entry.exists = false;
  entry.isRefused = false;
  entry.uncertain = uncertain;
  entry.lost = [];
}

/** Whether an uncertain write asks for the same version of the same row. */
const isUnder = ({ key, version }: Write, { sent }: Uncertain): boolean =>
  sent.some(({ write }) => write.key === key && write.version === version);

/** What was sent before, and may be stored yet, is not rejected whatever a later attempt is told. */
const unlessSentBefore = ({ entry, write }: Sent, told: Told): Told =>
  told.outcome === "rejected" &&
  [...entry.uncertain, ...entry.lost].some(({ sent }) =>
    sent.some((one) => one.entry === entry && asksForSame(one.write, write)),
  )
    ? { ...told, outcome: "unknown" }
    : told;

/** Properties whose value is not what is known to be stored; what was not loaded counts once it has a value. */
function changed({ values, snapshot }: Entry): Name[] {
  if (snapshot === undefined) return [];
  return names.filter((name) => values[name] !== snapshot[name]);
}

const cleared = (entry: Entry): Name[] =>
  changed(entry).filter((name) => entry.values[name] === undefined && entry.snapshot?.[name] !== undefined);

const isInvalid = (entry: Entry): boolean =>
  entry.intent === "none" && cleared(entry).length > 0 && !entry.isWhole;

/** The operation an entry asks for. */
function sentOf(entry: Entry): Sent | undefined {
  const sent = unforcedSentOf(entry);
  return sent === undefined ? undefined : { ...sent, isForced: entry.isForced };
}

function unforcedSentOf(entry: Entry): Omit<Sent, "isForced"> | undefined {
  const { key, intent, values, extra, version } = entry;
  const all = present(values);
  switch (intent) {
    case "remove":
      return {
        entry,
        write: { type: "delete", key, values: {}, version: version as number },
        after: undefined,
      };
    case "add": {
      const after = { snapshot: { ...values }, extra, isWhole: true };
      if (entry.replaces === undefined)
        return { entry, write: { type: "insert", key, values: { ...extra, ...all } }, after };
      return {
        entry,
        write: { type: "replace", key, values: { ...extra, ...all }, version: entry.replaces },
        after,
      };
    }
    case "upsert-merge":
      return {
        entry,
        write: { type: intent, key, values: all },
        after: { snapshot: all as Known, extra: {}, isWhole: false },
      };
    case "upsert-replace":
      return {
        entry,
        write: { type: intent, key, values: all },
        after: { snapshot: { ...values }, extra: {}, isWhole: true },
      };
    case "none": {
      const edits = changed(entry);
      const isNamed = (name: Name): boolean => entry.isForced || entry.fence === name;
      const sending = names.filter((n) => edits.includes(n) || (isNamed(n) && values[n] !== undefined));
      if (sending.length === 0) {
        entry.isForced = false;
        entry.fence = undefined;
        return undefined;
      }
      const snapshot = { ...entry.snapshot };
      for (const name of sending) snapshot[name] = values[name];
      const after = { snapshot, extra, isWhole: entry.isWhole };
      const isFence = entry.fence !== undefined && !entry.isForced;
      const condition = { version: version as number | "*", ...(isFence && { isFence }) };
      if (cleared(entry).length > 0)
        return {
          entry,
          write: { type: "replace", key, values: { ...extra, ...present(snapshot) }, ...condition },
          after,
        };
      const body = present(Object.fromEntries(sending.map((name) => [name, values[name]])));
      return { entry, write: { type: "merge", key, values: body, ...condition }, after };
    }
  }
}

const present = (values: Known): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
