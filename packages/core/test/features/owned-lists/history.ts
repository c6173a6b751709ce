// One history, step by step: the model performs each command, and the library does the same beside it where a mirror is
// given. Both laws use it.

import { type Command, initialRows, type ListFault } from "./commands.ts";
import {
  type Change,
  Entry,
  ModelContext,
  type Outcome,
  type Problem,
  split,
  type TrackingOption,
} from "./model.ts";
import { ModelStore, parentOf } from "./model-store.ts";

/** A transaction that was sent, by the keys of its rows in order. */
export interface SentBatch {
  readonly keys: readonly string[];
  readonly fault: ListFault | undefined;
}

/** What performs each step beside the model, and compares. */
export interface Mirror {
  put(key: string, value: number): Promise<void>;
  delete(key: string): Promise<void>;
  find(order: string, expected: Entry | undefined): Promise<void>;
  include(order: string, option: TrackingOption, expected: Entry | undefined): Promise<void>;
  create(order: Entry): void;
  createIn(order: Entry, line: Entry, isMade: boolean): void;
  /** The program has changed the array, or put another one in its place. */
  setList(order: Entry, isMutated: boolean): void;
  setValue(entry: Entry): void;
  call(method: "remove" | "detach" | "touch" | "discard", entry: Entry): void;
  reload(entry: Entry, keepsEdits: boolean): Promise<void>;
  clear(): void;
  /** Asks for the pending changes, which lets the lists take effect. */
  compare(): void;
  /** A save that sends nothing. */
  refuse(code: Problem | "save.not-atomic", isAtomic: boolean): Promise<void>;
  /** Saves, and returns what was sent. */
  save(
    changes: readonly Change[],
    faults: readonly (ListFault | undefined)[],
    isAtomic: boolean,
  ): Promise<readonly SentBatch[]>;
  checkOutcomes(expected: ReadonlyMap<Entry, Outcome>): void;
  /** Everything is as the model says. */
  check(model: ModelContext, store: ModelStore): Promise<void>;
}

/** What the checks of a history want to know of a save. */
export interface SaveReport {
  readonly changes: readonly Change[];
  readonly outcomes: ReadonlyMap<Entry, Outcome>;
}

/** Called after each transaction of a save, with the keys that were stored when the save began. */
export type OnTransaction = (
  store: ModelStore,
  changes: readonly Change[],
  before: ReadonlySet<string>,
) => void;

export class History {
  readonly store = new ModelStore();
  readonly context = new ModelContext(this.store);
  /** Lines that `createIn` or `create` made: calls may name them before they are stored. */
  readonly #made = new Set<Entry>();
  readonly #limit: number;
  readonly #mirror: Mirror | undefined;
  readonly #onTransaction: OnTransaction;

  constructor(limit: number, mirror: Mirror | undefined, onTransaction: OnTransaction = () => undefined) {
    this.#limit = limit;
    this.#mirror = mirror;
    this.#onTransaction = onTransaction;
  }

  /** Stores the first rows, as another writer. */
  async begin(): Promise<this> {
    for (const [key, value] of Object.entries(initialRows)) await this.#put(key, value);
    return this;
  }

  async perform(command: Command): Promise<SaveReport | undefined> {
    let report: SaveReport | undefined;
    if (command.type === "save") report = await this.#save(command.faults, command.isAtomic);
    else if (command.type === "clear") {
      this.context.clear();
      this.#mirror?.clear();
    } else if (command.type.endsWith("Elsewhere")) await this.#elsewhere(command);
    else if (command.type === "find" || command.type === "include" || command.type === "create")
      await this.#read(command);
    else await this.#change(command);
    await this.#mirror?.check(this.context, this.store);
    return report;
  }

  /** Another writer never leaves a line without its order. */
  async #elsewhere(command: Command): Promise<void> {
    const { store } = this;
    if (!("order" in command)) return;
    const { order, type } = command;
    const remove = async (key: string): Promise<void> => {
      if (store.rows.delete(key)) await this.#mirror?.delete(key);
    };
    if (type === "addOrderElsewhere") await this.#put(order, command.value);
    if (type === "removeOrderElsewhere")
      for (const key of [...store.linesOf(order), order]) await remove(key);
    if (type === "removeLineElsewhere") await remove(`${order}!${command.no}`);
    if (type === "editElsewhere" || type === "addLineElsewhere") {
      const key = `${order}!${command.no}`;
      if (store.rows.has(type === "editElsewhere" ? key : order)) await this.#put(key, command.value);
    }
  }

  async #put(key: string, value: number): Promise<void> {
    this.store.put(key, value);
    await this.#mirror?.put(key, value);
  }

  async #read(command: Extract<Command, { type: "find" | "include" | "create" }>): Promise<void> {
    const { order: key } = command;
    const known = this.context.tracked.get(key);
    switch (command.type) {
      case "find": {
        const found = this.context.find(key);
        await this.#mirror?.find(key, found);
        return;
      }
      case "include": {
        // A list that no save takes cannot be read again either.
        if (typeof this.context.plan() === "string") return;
        // What an order shows that is to be removed does not matter.
        if (
          known?.state === "removed" &&
          (command.option !== "overwriteChanges" || known.list?.some(isLoose))
        )
          return;
        const included = this.context.include(key, command.option);
        await this.#mirror?.include(key, command.option, included);
        return;
      }
      case "create": {
        if (known !== undefined || command.nos.some((no) => this.context.tracked.has(`${key}!${no}`))) return;
        const lines = command.nos.map((no) => new Entry(`${key}!${no}`, command.value));
        for (const line of lines) this.#made.add(line);
        const order = this.context.create(key, command.value, lines);
        if (order !== undefined) this.#mirror?.create(order);
        return;
      }
      default:
        command satisfies never;
    }
  }

  async #change(
    command: Exclude<Command, { type: "save" | "clear" | "find" | "include" | "create" }>,
  ): Promise<void> {
    const order = this.context.tracked.get(command.order);
    if (order === undefined || order.state === "removed") return;
    const { members } = order;
    const line = "at" in command ? members[command.at % Math.max(1, members.length)] : undefined;
    switch (command.type) {
      case "setOrder":
        order.value = command.value;
        this.#mirror?.setValue(order);
        return;
      case "createIn":
        this.#createIn(order, new Entry(`${order.key}!${command.no}`, command.value));
        return;
      case "reloadOrder":
        // An order that is no longer stored is detached by it.
        if (order.state === "stored" && (this.store.rows.has(order.key) || !this.#hasListChanges(order)))
          await this.#reload(order, command.keepsEdits);
        return;
      case "reloadLine":
        if (line?.state !== "stored" || typeof this.context.plan() === "string") return;
        this.#compare();
        await this.#reload(line, command.keepsEdits);
        return;
      case "setLine":
        if (line === undefined) return;
        line.value = command.value;
        this.#mirror?.setValue(line);
        return;
      case "removeLine":
      case "detachLine": {
        if (line === undefined || !(line.state === "stored" || this.#made.has(line))) return;
        const method = command.type === "removeLine" ? "remove" : "detach";
        this.context[method](line);
        this.#mirror?.call(method, line);
        return;
      }
      case "removeOrder":
        // A list that no save takes would come back with an order whose removal is undone.
        if (order.isLoaded && order.state === "stored" && typeof this.context.plan() !== "string")
          this.#call("remove", order);
        return;
      case "detachOrder":
        // Whether changes of a list that a save has tried outlive its parent is not decided.
        if (order.state === "stored" && !this.#hasListChanges(order)) this.#call("detach", order);
        return;
      case "touch":
        if (order.state !== "stored") return;
        order.isTouched = true;
        this.#mirror?.call("touch", order);
        return;
      case "discard":
        if (order.isLoaded && order.state === "stored") this.#call("discard", order);
        return;
      default:
        this.#changeList(command, order, line);
    }
  }

  #hasListChanges(order: Entry): boolean {
    const changes = this.context.plan();
    const isOfList = ({ entry, state }: Change): boolean =>
      parentOf(entry.key) === order.key && state !== "modified";
    if (typeof changes === "string" || changes.some(isOfList)) return true;
    this.#compare();
    return false;
  }

  /** As `pendingChanges()` does. */
  #compare(): void {
    this.context.begin();
    this.#mirror?.compare();
  }

  #changeList(command: Command, order: Entry, line: Entry | undefined): void {
    const list = this.#changedList(command, order, line);
    if (list === "as it is") return;
    order.list = list;
    this.#mirror?.setList(order, "isMutated" in command && command.isMutated);
  }

  #changedList(command: Command, order: Entry, line: Entry | undefined): Entry[] | undefined | "as it is" {
    const { list = [], key } = order;
    switch (command.type) {
      case "push": {
        const added = new Entry(`${key}!${command.no}`, command.value);
        return [...list, added, ...(command.isTwice ? [added] : [])];
      }
      case "pushForeign":
        return [...list, new Entry(`${key === "1" ? "2" : "1"}!9`, 1)];
      case "pushMany":
        return [...list, ...Array.from({ length: 105 }, (_, i) => new Entry(`${key}!${1000 + i}`, 1))];
      case "replaceAll":
        return [new Entry(`${key}!${command.no}`, command.value)];
      case "takeOut":
        return line === undefined ? "as it is" : list.filter((each) => each !== line);
      case "repeat":
        return line === undefined ? "as it is" : [...list, line];
      case "putBack": {
        const out = [...order.shown].filter(
          (each) =>
            this.context.tracked.get(each.key) === each && each.state === "stored" && !list.includes(each),
        );
        const chosen = out[command.at % Math.max(1, out.length)];
        return chosen === undefined || order.list === undefined ? "as it is" : [chosen, ...list];
      }
      case "reverse":
        return order.list === undefined ? "as it is" : list.toReversed();
      case "empty":
        return [];
      case "forget":
        return undefined;
      default:
        return "as it is";
    }
  }

  #createIn(order: Entry, line: Entry): void {
    if (typeof this.context.plan() === "string") return;
    const made = this.context.createIn(order, line);
    if (made !== undefined) this.#made.add(made);
    this.#mirror?.createIn(order, line, made !== undefined);
  }

  #call(method: "remove" | "detach" | "discard", entry: Entry): void {
    this.context[method](entry);
    this.#mirror?.call(method, entry);
  }

  async #reload(entry: Entry, keepsEdits: boolean): Promise<void> {
    this.context.reload(entry, keepsEdits);
    await this.#mirror?.reload(entry, keepsEdits);
  }

  async #save(given: readonly (ListFault | undefined)[], isAtomic: boolean): Promise<SaveReport | undefined> {
    const planned = this.context.plan();
    const needsMore = typeof planned !== "string" && planned.length > this.#limit && isAtomic;
    if (typeof planned === "string" || needsMore) {
      await this.#mirror?.refuse(typeof planned === "string" ? planned : "save.not-atomic", isAtomic);
      this.#giveUp();
      return undefined;
    }
    // What becomes of a refusal whose response is lost is not known, and no matter of lists.
    const isSound = planned.every(({ operation }) => this.store.refusal(operation) === undefined);
    const faults = isSound ? given : given.map((fault) => (fault === "reset-after" ? undefined : fault));
    this.context.begin();
    const byKey = new Map(planned.map((change) => [change.entry.key, change]));
    const sent =
      this.#mirror === undefined
        ? split(planned, this.#limit).map((changes, i) => ({
            keys: changes.map(({ entry }) => entry.key),
            fault: faults[i],
          }))
        : await this.#mirror.save(planned, faults, isAtomic);
    const outcomes = new Map<Entry, Outcome>(planned.map(({ entry }) => [entry, "rejected"]));
    const before = new Set(this.store.rows.keys());
    for (const { keys, fault } of sent) {
      const isLost = fault === "refused" || fault === "unsent";
      if (isLost && this.#mirror === undefined) break;
      if (isLost) continue;
      const changes = keys.map((key) => byKey.get(key) as Change);
      const batch = this.context.send(changes);
      for (const [entry, outcome] of batch) outcomes.set(entry, outcome);
      this.#onTransaction(this.store, planned, before);
      // What the library sends after a refusal is its own choice, within what the mirror checks.
      const isRefused = [...batch.values()].some((outcome) => outcome !== "committed");
      if (isRefused && this.#mirror === undefined) break;
    }
    this.#mirror?.checkOutcomes(outcomes);
    return { changes: planned, outcomes };
  }

  /** A list that no save takes would end the history: the program takes out what was refused. */
  #giveUp(): void {
    for (const order of this.context.tracked.values()) {
      if (order.list?.some(isLoose) !== true) continue;
      order.list = order.list.filter((line) => !isLoose(line));
      this.#mirror?.setList(order, false);
    }
    this.#compare();
  }
}

const isLoose = ({ state }: Entry): boolean => state === "loose";
