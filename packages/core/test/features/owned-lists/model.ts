// Owned lists as plainly as can be: rows of one partition, and one context with the arrays that the program sees. The
// model says what a save sends, what is stored then, and what the lists show. The law of this folder holds the library
// to it; the model's own law shows that these rules lose nothing.

import { type Change, Entry, type Outcome, type Problem, type TrackingOption } from "./model-entry.ts";
import { type ModelStore, type Operation, parentOf, type Row } from "./model-store.ts";

export class ModelContext {
  readonly tracked = new Map<string, Entry>();
  readonly #store: ModelStore;

  constructor(store: ModelStore) {
    this.#store = store;
  }

  /** Reads an order without its list. */
  find(key: string): Entry | undefined {
    const entry = this.tracked.get(key);
    if (entry !== undefined) return entry.state === "removed" ? undefined : entry;
    return this.#take(key, "appendOnly");
  }

  /** Reads an order with its list, which takes effect first: a line that is in it is that of the row under its key. */
  include(key: string, option: TrackingOption): Entry | undefined {
    const order = this.#take(key, option);
    if (order === undefined) return undefined;
    this.#apply(order);
    const isKnown = (line: Entry): boolean => order.shown.has(line);
    const isTakenOut = (line: Entry): boolean =>
      isKnown(line) && order.list !== undefined && !order.list.includes(line);
    const takenOut = new Set([...order.shown].filter(isTakenOut));
    // One that was made without a list and is stored by now is there only if its row is.
    const unlisted = [...order.unlisted].filter((line) => line.state === "new");
    const before = [...new Set([...(order.list ?? []), ...order.putIn, ...unlisted])];
    const putIn = before.filter((line) => !isKnown(line) && line.state !== "left");
    const read = this.#store.linesOf(key).flatMap((line) => this.#take(line, option) ?? []);
    // Edits of what is to be removed have no effect.
    for (const line of option === "preserveChanges" ? read : [])
      if (takenOut.has(line)) line.value = line.row?.value ?? line.value;
    const visible = read.filter((line) => option === "overwriteChanges" || !takenOut.has(line));
    order.list = [...visible, ...putIn.filter((line) => !visible.includes(line))];
    order.isLoaded = true;
    for (const line of order.unlisted) if (line.state === "new") order.putIn.add(line);
    order.unlisted.clear();
    // A removal stays pending, even where another writer has removed the row: its save says so.
    const leaving = [...order.shown].filter((line) =>
      this.#has(line) ? takenOut.has(line) : this.tracked.get(line.key)?.replaced === line,
    );
    order.shown.clear();
    for (const line of [...read.filter(isStored), ...leaving]) order.shown.add(line);
    return order;
  }

  /** A new order with new lines. */
  create(key: string, value: number, lines: readonly Entry[]): Entry | undefined {
    if (this.tracked.has(key)) return undefined;
    const order = this.#track(new Entry(key, value), "new");
    order.list = [...lines];
    for (const line of lines) order.putIn.add(this.#track(line, "new"));
    return order;
  }

  /** The list takes effect first. Undefined where another instance has the key. */
  createIn(order: Entry, line: Entry): Entry | undefined {
    this.#apply(order);
    const other = this.tracked.get(line.key);
    const isFree = other === undefined || other.state === "removed" || this.#goneFrom(order).includes(other);
    if (!isFree) return undefined;
    this.#takeOver(line, other);
    order.list?.push(line);
    (order.list === undefined ? order.unlisted : order.putIn).add(line);
    return line;
  }

  /** Takes the loaded members along. */
  remove(entry: Entry): void {
    const members = new Set([...entry.members, ...entry.putIn, ...entry.unlisted]);
    for (const member of members) if (member.state === "new") this.#leave(member);
    for (const member of [...members, ...entry.shown])
      if (this.#has(member) && member.state === "stored") {
        member.state = "removed";
        entry.along.add(member);
      }
    if (entry.state === "new") this.#leave(entry);
    else entry.state = "removed";
  }

  detach(entry: Entry): void {
    this.#leave(entry);
  }

  /** The order and its list are as they were read or saved; edits of members stay. */
  discard(order: Entry): void {
    order.value = order.row?.value ?? order.value;
    order.isTouched = false;
    for (const line of new Set([...order.members, ...order.putIn, ...order.unlisted]))
      if (line.state === "loose" || line.state === "new") this.#leave(line);
    for (const line of order.unlisted) if (line.state === "stored") order.shown.add(line);
    order.unlisted.clear();
    order.list = [...order.shown].filter((line) => this.#has(line));
    order.putIn.clear();
  }

  /** Reads one row again. */
  reload(entry: Entry, keepsEdits: boolean): void {
    const row = this.#store.rows.get(entry.key);
    if (row === undefined) this.#leave(entry);
    else this.#refresh(entry, row, keepsEdits ? "preserveChanges" : "overwriteChanges");
  }

  clear(): void {
    for (const entry of this.tracked.values()) entry.state = "left";
    this.tracked.clear();
  }

  /** What the next save does, in any order, or why it sends nothing. Nothing is changed by it. */
  plan(): Change[] | Problem {
    const orders = this.#listed();
    const gone = new Set(orders.flatMap((order) => this.#goneFrom(order)));
    const dropped = new Set(orders.flatMap(newAndGone));
    const remaining = [...this.tracked.values()].filter(
      (entry) => entry.state !== "removed" && !gone.has(entry) && !dropped.has(entry),
    );
    const taken = new Set(remaining.map(({ key }) => key));
    const arriving = new Map<string, Entry>();
    for (const order of orders)
      for (const line of order.members) {
        if (parentOf(line.key) !== order.key) return "entity.key-changed";
        if (line.state !== "loose") continue;
        if (taken.has(line.key)) return "entity.duplicate-key";
        taken.add(line.key);
        arriving.set(line.key, line);
      }
    const changes = [...this.tracked.values()].flatMap((entry) => {
      if (arriving.has(entry.key)) return [];
      // A new line that is dropped gives the key back to the one that it was to replace.
      const current = dropped.has(entry) ? entry.replaced : entry;
      return current === undefined ? [] : (changeOf(current, gone.has(current) || current !== entry) ?? []);
    });
    return [...changes, ...[...arriving.values()].map((line) => insertOf(line, this.#rowUnder(line.key)))];
  }

  /**
   * Lets the lists take effect, as a save does before it sends: new members are tracked, and new ones that are gone are
   * dropped. Call it after `plan` and before the changes are sent.
   */
  begin(): void {
    for (const order of this.#listed()) this.#apply(order);
  }

  #apply(order: Entry): void {
    if (order.state === "removed" || order.list === undefined) return;
    for (const line of newAndGone(order)) this.#leave(line);
    for (const line of order.members) {
      if (line.state === "loose") this.#takeOver(line, this.tracked.get(line.key));
      if (line.state === "new") order.putIn.add(line);
    }
  }

  /** Sends one transaction: all of it is stored, or nothing. Returns the outcome of each change. */
  send(changes: readonly Change[]): Map<Entry, Outcome> {
    const refused = this.#store.transact(changes.map(({ operation }) => operation));
    if (refused !== undefined)
      return new Map(
        changes.map(({ entry }) => [entry, entry.key === refused.key ? refused.reason : "rejected"]),
      );
    for (const change of changes) this.#accept(change);
    return new Map(changes.map(({ entry }) => [entry, "committed"]));
  }

  #accept({ entry, state }: Change): void {
    const order = this.tracked.get(parentOf(entry.key) ?? "");
    if (state === "deleted") {
      this.#leave(entry);
      order?.shown.delete(entry);
      if (order?.list !== undefined) order.list = order.list.filter((line) => line !== entry);
      return;
    }
    if (entry.replaced !== undefined) {
      order?.shown.delete(entry.replaced);
      entry.replaced.state = "left";
    }
    entry.state = "stored";
    entry.row = this.#store.rows.get(entry.key);
    entry.isTouched = false;
    entry.replaced = undefined;
    if (order === undefined) return;
    if (order.putIn.delete(entry) || order.list?.includes(entry) === true) order.shown.add(entry);
  }

  #take(key: string, option: TrackingOption): Entry | undefined {
    const row = this.#store.rows.get(key);
    if (row === undefined) return undefined;
    const known = this.tracked.get(key);
    if (known !== undefined) {
      if (known.state !== "new" && option !== "appendOnly") this.#refresh(known, row, option);
      return known;
    }
    const entry = this.#track(new Entry(key, row.value), "stored");
    entry.row = row;
    return entry;
  }

  #refresh(entry: Entry, row: Row, option: "preserveChanges" | "overwriteChanges"): void {
    const keepsValue =
      option === "preserveChanges" && entry.state === "stored" && entry.value !== entry.row?.value;
    if (!keepsValue) entry.value = row.value;
    entry.row = row;
    if (option === "preserveChanges") return;
    entry.state = "stored";
    entry.isTouched = false;
    for (const line of entry.along) if (line.state === "removed") line.state = "stored";
    entry.along.clear();
  }

  /** The orders whose lists count. */
  #listed(): Entry[] {
    return [...this.tracked.values()].filter(
      ({ key, state, list }) => parentOf(key) === undefined && state !== "removed" && list !== undefined,
    );
  }

  /** Members that the context has put into the list, and that are no longer in it. */
  #goneFrom({ list, shown }: Entry): Entry[] {
    if (list === undefined) return [];
    return [...shown].filter((line) => this.#has(line) && line.state === "stored" && !list.includes(line));
  }

  #has(entry: Entry): boolean {
    return this.tracked.get(entry.key) === entry;
  }

  #rowUnder(key: string): Row | undefined {
    const entry = this.tracked.get(key);
    return entry?.row ?? entry?.replaced?.row;
  }

  #track(entry: Entry, state: "new" | "stored"): Entry {
    entry.state = state;
    this.tracked.set(entry.key, entry);
    return entry;
  }

  /** A new line takes the key of one that is removed: its row is replaced under the version that was read. */
  #takeOver(line: Entry, other: Entry | undefined): void {
    line.replaced = other?.row === undefined ? other?.replaced : other;
    this.#track(line, "new");
  }

  /** A line that was to be replaced has its key again. */
  #leave(entry: Entry): void {
    if (this.#has(entry)) this.tracked.delete(entry.key);
    if (entry.replaced !== undefined) this.tracked.set(entry.key, entry.replaced);
    entry.replaced = undefined;
    entry.state = "left";
  }
}

/** New members that are no longer in the list: they are dropped. */
const newAndGone = ({ list, putIn }: Entry): Entry[] =>
  [...putIn].filter((line) => line.state === "new" && list?.includes(line) !== true);

const isStored = ({ state }: Entry): boolean => state !== "new";

function changeOf(entry: Entry, isGone: boolean): Change | undefined {
  const { key, state, value, row } = entry;
  if (state === "new") return insertOf(entry, entry.replaced?.row);
  if (row === undefined) return undefined;
  const { version } = row;
  if (state === "removed" || isGone)
    return { entry, state: "deleted", operation: { type: "delete", key, version } };
  if (!entry.isEdited) return undefined;
  return { entry, state: "modified", operation: { type: "merge", key, value, version } };
}

/** An insert, or a replace of the row that a removed line has. */
function insertOf(entry: Entry, former: Row | undefined): Change {
  const { key, value } = entry;
  const operation: Operation =
    former === undefined
      ? { type: "insert", key, value }
      : { type: "replace", key, value, version: former.version };
  return { entry, state: "added", operation };
}
