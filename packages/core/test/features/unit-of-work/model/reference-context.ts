// The unit of work once more, as plainly as can be: what every command must do to states, values and the store.
import type { Fault } from "@partita/testing";
import type { EntityState, MergeOption } from "../../../../src/index.ts";
import {
  type Entry,
  isAsKnown,
  type Known,
  type Name,
  names,
  present,
  type SaveSettings,
  type Sent,
  type Told,
  type Uncertain,
} from "./reference-entry.ts";
import { ReferenceLedger, type Resolved } from "./reference-ledger.ts";
import { Resolution } from "./reference-resolution.ts";
import {
  asksForSame,
  isConditional,
  judge,
  type ReferenceStore,
  type Row,
  type Values,
} from "./reference-store.ts";

const attempts = 3;

/** How long after it was sent a request may arrive, in milliseconds. */
const latestMs = 60_000;

export class ReferenceContext {
  readonly entries = new Map<string, Entry>();
  readonly #store: ReferenceStore;
  readonly #now: () => number;
  readonly #ledger: ReferenceLedger;
  #settings: SaveSettings = { isBatched: true, removeMissing: "conflict", readsFail: false };
  /** Writes without a version whose response was lost: a late request may overwrite what is stored since, or store it again. */
  readonly #mayComeLate: Uncertain[] = [];
  #ids = 0;

  /** @param now - milliseconds that only grow */
  constructor(store: ReferenceStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#ledger = new ReferenceLedger(now);
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
      this.entries.delete(key);
    }
    this.entries.set(key, entry);
    return entry;
  }

  addBack(entry: Entry): void {
    if (entry.snapshot !== undefined && !entry.isComplete) entry.intent = "none";
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
    entry.isComplete = false;
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
      if (this.#overwrite(entry, row, loaded)) this.#ledger.reread(entry.key, row);
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
    entry.isComplete = true;
  }

  preserve(entry: Entry, row: Row, loaded: readonly Name[], isAll = loaded.length === names.length): void {
    const edits = entry.intent === "remove" || entry.snapshot === undefined ? [] : changed(entry);
    const mine = { ...entry.values };
    const isAdopted = this.#overwrite(entry, row, loaded, isAll);
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
    const hadWhole = entry.snapshot !== undefined && entry.isComplete;
    entry.snapshot = snapshot;
    entry.isComplete = isAll || (hadWhole && isSame);
    if (!isAll && !isSame && knowsMore) {
      entry.isStale = entry.version !== "*";
      return false;
    }
    if (isAll) entry.extra = row.values.x === undefined ? {} : { x: row.values.x };
    entry.version = row.version;
    settle(entry);
    return true;
  }

  reload(entry: Entry, keepsEdits: boolean): void {
    const row = this.#store.rows.get(entry.key);
    if (keepsEdits && entry.snapshot !== undefined && row !== undefined) {
      this.preserve(entry, row, names);
      return;
    }
    const isNew = entry.snapshot === undefined && entry.intent !== "remove";
    const keepsValues = keepsEdits && entry.intent !== "remove";
    const mine = keepsValues ? { ...entry.values } : {};
    if (row !== undefined) {
      entry.intent = "none";
      entry.isForced = false;
      entry.fence = undefined;
      entry.replaced = undefined;
      this.#overwrite(entry, row, names);
      if (!keepsValues) this.#ledger.reread(entry.key, row);
      for (const name of names) entry.values[name] = mine[name] ?? entry.values[name];
    } else if (isNew) {
      Object.assign(entry, { replaces: undefined, version: undefined, replaced: undefined });
      settle(entry);
    } else {
      this.#ledger.reread(entry.key, undefined);
      if (entry.intent === "remove" && this.isInDoubt(entry)) settle(entry);
      else this.#leave(entry);
    }
  }

  isInDoubt({ key }: Entry): boolean {
    return this.#ledger.open(key).length > 0;
  }

  /** Whether it was sent and may be stored, even if nothing more can be found out. */
  mayBeStored(entry: Entry): boolean {
    return this.#ledger.of(entry.key).some(({ sent }) => sent.entry === entry);
  }

  remove(entry: Entry): boolean {
    const mayBeStored = this.isInDoubt(entry) || this.mayBeStored(entry);
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
    const isDoubtful = entry.isStale || this.isInDoubt(entry) || entry.isRefused;
    this.#ledger.giveUp(entry);
    settle(entry);
    entry.isStale = isDoubtful;
  }

  /** An entity of which there is nothing to remove. */
  forgetQuietly(entry: Entry): void {
    this.entries.delete(entry.key);
  }

  #leave(entry: Entry): void {
    this.#ledger.giveUp(entry);
    this.entries.delete(entry.key);
  }

  forget(entry: Entry): void {
    this.#leave(entry);
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
    const { changes, reported, conflicted } = first;
    // A conflict may be with a write of our own.
    const refused = changes.filter(
      ({ entry }) =>
        reported.get(entry)?.outcome === "rejected" && conflicted.has(entry) && this.isInDoubt(entry),
    );
    const { committed, blocked } = this.#resolveAll(refused.map(({ entry }) => entry));
    for (const { entry, write, outcome } of [...blocked.values(), ...committed]) {
      const own = refused.find((sent) => sent.entry === entry);
      const isFinal = outcome === "committed" || !this.isInDoubt(entry);
      if (own !== undefined && isFinal && asksForSame(write, own.write))
        reported.set(entry, { key: entry.key, outcome });
    }
    return Array.from(reported, ([entry, one]) => {
      const sent = changes.find((change) => change.entry === entry);
      const isLost =
        sent !== undefined &&
        this.#ledger
          .of(entry.key)
          .some((lost) => lost.sent.entry === entry && asksForSame(lost.sent.write, sent.write));
      return one.outcome === "rejected" && isLost ? { ...one, outcome: "unknown" as const } : one;
    });
  }

  /** Resolves what is in doubt, then sends what is pending. */
  #saveOnce(
    faults: (Fault | undefined)[],
    isInScope: (entry: Entry) => boolean,
  ):
    | {
        readonly changes: readonly Sent[];
        readonly reported: Map<Entry, Told>;
        /** What was refused in a conflict, others in its transaction aside. */
        readonly conflicted: ReadonlySet<Entry>;
      }
    | "invalid" {
    const { committed, blocked } = this.#resolveAll(this.#pending().filter(isInScope));
    const learnt = new Map<Entry, Told>();
    for (const entry of this.#pending().filter((one) => isInScope(one) && !blocked.has(one))) {
      const outcome = this.#learnVersion(entry);
      if (outcome !== undefined) learnt.set(entry, { key: entry.key, outcome });
    }
    const isLeft = (entry: Entry): boolean => isInScope(entry) && !blocked.has(entry) && !learnt.has(entry);
    const pending = this.#pending().filter(isLeft);
    // What it holds is sent once more, to keep a late write out.
    for (const entry of pending)
      if (this.isInDoubt(entry) && entry.intent === "none" && changed(entry).length === 0)
        if (!entry.isForced) entry.fence = names.find((name) => entry.snapshot?.[name] !== undefined);
    if (pending.some(isInvalid)) return "invalid";
    const changes = pending.flatMap((entry) => {
      const sent = sentOf(entry);
      return sent === undefined ? [] : [sent];
    });
    const reported = new Map<Entry, Told>();
    for (const { entry, outcome } of [...committed, ...blocked.values()])
      reported.set(entry, { key: entry.key, outcome });
    for (const [entry, one] of learnt) reported.set(entry, one);
    for (const entry of pending)
      if (this.isInDoubt(entry) && !changes.some((sent) => sent.entry === entry))
        reported.set(entry, { key: entry.key, outcome: "unknown" });
    const groups = new Map<string, Sent[]>();
    for (const sent of changes) {
      const id = this.#settings.isBatched ? sent.entry.key.slice(0, 1) : sent.entry.key;
      groups.set(id, [...(groups.get(id) ?? []), sent]);
    }
    const conflicted = new Set<Entry>();
    for (const group of groups.values())
      for (const [entry, one] of this.#send(group, faults, conflicted)) reported.set(entry, one);
    return { changes, reported, conflicted };
  }

  /** Reads a version that is not known. @returns what is told of an entity that is not sent */
  #learnVersion(entry: Entry): Told["outcome"] | undefined {
    const { snapshot, version, intent } = entry;
    if (version !== undefined || (snapshot === undefined && intent !== "remove")) return undefined;
    if (this.#settings.readsFail) return "rejected";
    const row = this.#store.rows.get(entry.key);
    const sent = this.#ledger.of(entry.key).findLast((lost) => lost.sent.entry === entry)?.sent;
    const known = snapshot === undefined ? sent?.after : entry;
    const mayTake = known?.isComplete === true || intent !== "remove";
    if (row !== undefined && known !== undefined && mayTake && isAsKnown(known, row)) {
      entry.version = row.version;
      return undefined;
    }
    // Added, and removed again: there is nothing to remove.
    if (row === undefined && intent === "remove" && snapshot === undefined) {
      this.#leave(entry);
      return undefined;
    }
    if (row === undefined && intent === "remove" && this.#settings.removeMissing === "ignore") {
      this.entries.delete(entry.key);
      return "committed";
    }
    entry.isRefused = true;
    return "rejected";
  }

  /** Resolves what entities, and those that were sent with them, wait for; blocked ones are not sent by this save. */
  #resolveAll(entries: readonly Entry[]): {
    readonly committed: readonly Resolved[];
    readonly blocked: ReadonlyMap<Entry, Resolved>;
  } {
    const resolution = new Resolution(this, this.#ledger, this.#store.rows, this.#settings, this.#now);
    return resolution.run(entries);
  }

  /** Whether a row of somebody else looks as if a late request of ours had overwritten what was stored since. */
  looksOverwritten(): boolean {
    return this.#mayComeLate.some((late) =>
      late.sent.some(({ write }) => {
        const [row, entry] = [this.#store.rows.get(write.key), this.entries.get(write.key)];
        const isOurs =
          entry !== undefined &&
          (entry.version === row?.version ||
            this.#ledger.of(entry.key).some(({ attempt }) => attempt === late));
        return !isOurs && judge([write], this.#store.rows, false).finding === "content";
      }),
    );
  }

  #pending(): Entry[] {
    return [...this.entries.values()]
      .toSorted((a, b) => a.id - b.id)
      .filter((entry) => this.isInDoubt(entry) || this.stateOf(entry) !== "unchanged");
  }

  /** What took the key of a row that is gone is to be inserted. */
  release(successor: Entry): void {
    if (successor.intent === "remove") this.entries.delete(successor.key);
    Object.assign(successor, { replaces: undefined, version: undefined, replaced: undefined });
  }

  acceptGone(entry: Entry): void {
    this.#ledger.end(entry.key);
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
      const hasVersion = writes.some(({ version }) => typeof version === "number");
      if (doubt && !hasVersion) this.#mayComeLate.push(uncertain);
      const { members, finding } = judge(writes, this.#store.rows, false);
      return group.map((sent, i) => {
        const { entry } = sent;
        const mayBeGone = isReadBack || (outcome === "unknown" && finding !== "not yet");
        const isGone = members[i] === "gone" && !readsFail && mayBeGone;
        const state = finding === "closed" && !readsFail ? "closed" : "open";
        if (isGone) this.acceptGone(entry);
        else if (outcome === "committed") this.accept(sent, isReadBack);
        else if (outcome === "unknown") this.#ledger.add({ attempt: uncertain, sent, state });
        const reported = isGone ? (mustWin ? "unknown" : "committed") : outcome;
        return [entry, { key: entry.key, outcome: reported }] as const;
      });
    };
    for (let attempt = 1; ; attempt++) {
      const fault = faults.shift();
      const isCarriedOut = fault === undefined || fault.endsWith("-after");
      const response = isCarriedOut ? this.#store.transact(writes) : undefined;
      if (fault === undefined && response === undefined) return end("committed");
      // Also a refusal may be lost.
      const refusal = fault === undefined ? response : undefined;
      // After a lost response, only rows show that a refusal is a conflict.
      const isConflict = refusal !== undefined && !(doubt && readsFail);
      for (const [i, { entry }] of group.entries()) entry.isRefused ||= isConflict && refusal.index === i;
      if (refusal === undefined) doubt ||= fault !== "refused";
      if (refusal === undefined && attempt < attempts && (!doubt || isFenced)) continue;
      const { finding } = judge(writes, this.#store.rows, false);
      if (doubt && readsFail) return end("unknown");
      if (doubt && finding === "content") return end("committed", true);
      // A version does not come back, while a key may become free for a late request.
      const version = writes[refusal?.index ?? 0]?.version;
      const isForGood = refusal?.reason === "etag" || (refusal?.reason === "missing" && version !== "*");
      if (doubt && !(isForGood && finding === "not yet" && group.length > 1)) return end("unknown");
      const culprit = group[refusal?.index ?? -1];
      const isMissing = culprit?.write.type === "delete" && refusal?.reason === "missing";
      if (isMissing && removeMissing === "ignore") {
        this.acceptGone(culprit.entry);
        const rest = group.filter((sent) => sent !== culprit);
        const others = rest.length === 0 ? [] : this.#send(rest, faults, conflicted);
        return [[culprit.entry, { key: culprit.entry.key, outcome: "committed" }], ...others];
      }
      if (culprit !== undefined) conflicted.add(culprit.entry);
      return end("rejected");
    }
  }

  accept({ entry, write, after, isForced, known }: Sent, isReadBack: boolean): void {
    // The store's own response under a version: what was sent under it before can no longer happen.
    if (!isReadBack && typeof write.version === "number")
      for (const lost of this.#ledger
        .of(entry.key)
        .filter(({ sent }) => sent.write.version === write.version)) {
        this.#ledger.remove(lost.attempt);
        for (const { entry: other } of lost.attempt.sent) {
          const isVain =
            other.intent === "remove" && other.snapshot === undefined && other.version === undefined;
          if (isVain && this.entries.get(other.key) === other && !this.mayBeStored(other))
            this.entries.delete(other.key);
        }
      }
    this.#ledger.end(entry.key);
    if (after === undefined) {
      this.acceptGone(entry);
      return;
    }
    settle(entry);
    const row = this.#store.rows.get(write.key) as Row;
    // What was asked for since it was sent is still to be sent.
    if (!isReadBack || isForced) entry.isForced = false;
    entry.fence = undefined;
    entry.replaced = undefined;
    if (entry.intent !== "remove") entry.intent = "none";
    const former = entry.version;
    if (isReadBack && entry.snapshot !== known) {
      // A row was taken over since it was sent: of the change, only what it sent is newer.
      if (row.version === entry.version) return;
      const isMerge = write.type === "merge" || write.type === "upsert-merge";
      const isSent = (name: Name): boolean => !isMerge || name in write.values;
      if (hasChanges(entry))
        entry.snapshot = Object.fromEntries(
          names
            .filter((name) => isSent(name) || name in (entry.snapshot as Known))
            .map((name) => [name, (isSent(name) ? after.snapshot : entry.snapshot)?.[name]]),
        );
    } else Object.assign(entry, after, { version: row.version });
    if (isReadBack) this.#takeOver(entry, row, former);
  }

  #takeOver(entry: Entry, row: Row, former: Entry["version"]): void {
    // What was edited on our version is not written under that of another program.
    if (hasChanges(entry) && !(isAsKnown(entry, row) && (entry.isComplete || entry.intent === "none"))) {
      entry.version = former === "*" ? undefined : former;
      entry.isStale = true;
      return;
    }
    const loaded = names.filter((name) => name in (entry.snapshot as Known));
    this.preserve(entry, row, entry.isComplete ? names : loaded, entry.isComplete);
  }

  #entry(key: string, values: Known): Entry {
    return {
      id: this.#ids++,
      key,
      intent: "none",
      values,
      snapshot: undefined,
      extra: {},
      isComplete: true,
      version: undefined,
      isStale: false,
      exists: false,
      isForced: false,
      isRefused: false,
    };
  }
}

function settle(entry: Entry): void {
  entry.isStale = false;
  entry.exists = false;
  entry.isRefused = false;
}

/** Properties whose value is not what is known to be stored; what was not loaded counts once it has a value. */
function changed({ values, snapshot }: Entry): Name[] {
  if (snapshot === undefined) return [];
  return names.filter((name) => values[name] !== snapshot[name]);
}

const cleared = (entry: Entry): Name[] =>
  changed(entry).filter((name) => entry.values[name] === undefined && entry.snapshot?.[name] !== undefined);

const isInvalid = (entry: Entry): boolean =>
  entry.intent === "none" && cleared(entry).length > 0 && !entry.isComplete;

/** The operation an entry asks for. */
const hasChanges = (entry: Entry): boolean =>
  entry.intent !== "none" || entry.isForced || entry.fence !== undefined || changed(entry).length > 0;

function sentOf(entry: Entry): Sent | undefined {
  const { snapshot: known } = entry;
  const sent = changeOf(entry);
  return sent === undefined ? undefined : { ...sent, isForced: entry.isForced, known };
}

function changeOf(entry: Entry): Omit<Sent, "isForced" | "known"> | undefined {
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
      const after = { snapshot: { ...values }, extra, isComplete: true };
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
        after: { snapshot: all as Known, extra: {}, isComplete: false },
      };
    case "upsert-replace":
      return {
        entry,
        write: { type: intent, key, values: all },
        after: { snapshot: { ...values }, extra: {}, isComplete: true },
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
      const after = { snapshot, extra, isComplete: entry.isComplete };
      const isFence = entry.fence !== undefined && !entry.isForced;
      // Each save decides anew what has to be kept out.
      entry.fence = undefined;
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
