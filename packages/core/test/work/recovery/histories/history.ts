import { virtualClock } from "@partita/testing";
import { type SaveError, type SaveResult, TableContext, type TableStorage } from "../../../../src/index.ts";
import { fixed } from "../../../../src/rest.ts";
import { conditionOf, keyOfOperation, type WriteOperation } from "../../../../src/storage/write-operation.ts";
import type { Plain, Scenario, Want } from "./scenarios.ts";
import { type Fate, isOfKey, type Sent, Wire } from "./wire.ts";

/*
 * One history of a context whose requests are lost or delayed, while its program edits, deletes and saves, and other
 * programs write. It knows which requests were applied, so it can check what the context reports:
 *
 * 1. Committed by response, marker or content: a request for that change was applied.
 * 2. Rejected: no request that was sent for that change was applied, and none is later.
 * 3. Of an atomic group, no member is applied without the others, unless the program took part of it back.
 * 4. With markers, no change is applied twice, and nothing stays unknown after `resolveInDoubt()` that reached storage.
 * 5. Without faults, saves end: nothing stays in doubt.
 * 7. Unknown: a request for that row was lost before.
 * 9. A write under an ETag never overwrites a version of another program that the program has not seen.
 */

/** What the program wants of one row; each change has a value of its own. */
interface Wish {
  readonly id: string;
  readonly want: Want;
  entity: Plain;
  /** The value that the change writes; "delete" for a deletion. */
  change: number | "delete" | undefined;
  /** Requests that were sent before a deletion was wanted. */
  since: number;
}

/** Where a history takes place. */
interface Place {
  readonly inner: TableStorage;
  readonly part: string;
}

/** What was reported as rejected, with the requests that had been sent for it. */
interface Rejection {
  readonly what: string;
  readonly sent: readonly Sent[];
}

export class History {
  readonly log: string[] = [];
  readonly violations: string[] = [];
  readonly #scenario: Scenario;
  readonly #random: () => number;
  readonly #clock = virtualClock();
  readonly #wishes: Wish[] = [];
  readonly #rejections: Rejection[] = [];
  #values = 0;
  /** Rows that another program wrote since the context last read them. */
  readonly #unseen = new Set<string>();
  /** The program edited, deleted or discarded part of its group. */
  #isApart = false;
  #hasWaited = false;
  #faultRate = 0.6;
  readonly #inner: TableStorage;
  readonly #part: string;
  readonly #wire: Wire;
  readonly #context: TableContext;

  /** @param part - a partition of its own */
  constructor(scenario: Scenario, random: () => number, { inner, part }: Place) {
    this.#scenario = scenario;
    this.#random = random;
    this.#inner = inner;
    this.#part = part;
    this.#wire = new Wire(inner, scenario.table, (kind) => this.#outcome(kind));
    this.#wire.onApplied = (request) => this.#checkOverwritten(request);
    this.#context = new TableContext(this.#wire.storage, { retry: fixed(2, 0), clock: this.#clock });
  }

  get #isMarked(): boolean {
    return this.#scenario.name.startsWith("marker");
  }

  async run(steps: number): Promise<void> {
    await this.#start();
    for (let i = 0; i < steps && this.violations.length === 0; i++) await this.#step();
    await this.#end();
  }

  async #start(): Promise<void> {
    const { wants, isIdempotent } = this.#scenario;
    for (const [i, want] of wants.entries()) {
      const id = String(i + 1);
      if (want !== "insert") await this.#other(id);
      this.#wishes.push({
        id,
        want,
        entity: await this.#begin(id, want, isIdempotent),
        change: undefined,
        since: 0,
      });
      const wish = this.#wishes[i] as Wish;
      this.#unseen.clear();
      if (want === "delete" || want === "delete any") wish.change = "delete";
      else wish.change = wish.entity.value = ++this.#values;
    }
  }

  async #begin(id: string, want: Want, isIdempotent: boolean): Promise<Plain> {
    const { entityClass } = this.#scenario;
    const key = { part: this.#part, id };
    const made = Object.assign(new (entityClass as unknown as new () => Plain)(), { ...key, value: 0 });
    switch (want) {
      case "insert":
        return this.#context.add(made);
      case "upsert":
        return this.#context.upsert(made, "replace", { idempotent: isIdempotent });
      case "change any":
        return this.#context.attach(made, "*");
      case "change":
      case "delete":
      case "delete any": {
        this.#faultRate = 0;
        const found = await this.#context.query(entityClass).where(key).toArray();
        this.#faultRate = 0.6;
        const [entity] = found as [Plain];
        if (want === "change") return entity;
        if (want === "delete any") {
          this.#context.detach(entity);
          this.#context.attach(entity, "*");
        }
        this.#context.remove(entity);
        return entity;
      }
      default:
        return want satisfies never;
    }
  }

  #pick<One>(from: readonly One[]): One {
    return from[Math.floor(this.#random() * from.length)] as One;
  }

  #outcome(kind: "read" | "write"): Fate {
    if (this.#random() >= this.#faultRate) return "answered";
    return kind === "read" ? "refused" : this.#pick(["applied", "held", "held", "refused"]);
  }

  async #step(): Promise<void> {
    const { held } = this.#wire;
    const choice = this.#pick([
      "save",
      "save",
      "save",
      "save part",
      "resolve",
      "reload",
      "other",
      "other deletes",
      "edit",
      "delete",
      "discard",
      "query",
      "time",
      "arrives",
      "arrives",
    ] as const);
    const wish = this.#pick(this.#wishes);
    const isTracked = this.#context.entry(wish.entity).state !== "detached";
    switch (choice) {
      case "save":
        return void (await this.#report("save", () => this.#context.saveChanges(this.#scenario.save)));
      case "save part":
        return isTracked ? this.#savePart(wish) : undefined;
      case "resolve":
        return this.#resolve();
      case "reload":
        return isTracked ? this.#reload(wish) : undefined;
      case "other":
        this.log.push(`another program writes ${wish.id}`);
        return this.#other(wish.id);
      case "other deletes":
        this.log.push(`another program deletes ${wish.id}`);
        return this.#otherDeletes(wish.id);
      case "edit":
        return isTracked && wish.change !== "delete" ? this.#edit(wish) : undefined;
      case "delete":
        return isTracked && wish.change !== "delete" ? this.#delete(wish) : undefined;
      case "discard":
        return isTracked ? this.#discard(wish) : undefined;
      case "query":
        return this.#query();
      case "time":
        this.log.push("a minute passes");
        this.#hasWaited = true;
        // What is on its way for so long does not arrive any more.
        this.#wire.held = [];
        return this.#clock.advance(61_000);
      case "arrives":
        if (held.length === 0) return undefined;
        this.log.push("a request arrives late");
        return this.#wire.arrive(this.#pick(held));
      default:
        return choice satisfies never;
    }
  }

  async #other(id: string): Promise<void> {
    this.#unseen.add(id);
    const entity = { PartitionKey: this.#part, RowKey: id, value: -++this.#values };
    await this.#inner.write(this.#scenario.table, { type: "upsert-merge", entity });
  }

  async #otherDeletes(id: string): Promise<void> {
    const key = { partitionKey: this.#part, rowKey: id };
    await this.#inner.write(this.#scenario.table, { type: "delete", key, etag: "*" }).catch(() => undefined);
  }

  #edit(wish: Wish): void {
    wish.change = wish.entity.value = ++this.#values;
    this.#isApart = true;
    this.log.push(`edits ${wish.id}: ${wish.change}`);
  }

  #delete(wish: Wish): void {
    if (wish.want === "upsert" && !this.#context.entry(wish.entity).inDoubt && wish.change !== undefined)
      return;
    this.#context.remove(wish.entity);
    wish.change = "delete";
    wish.since = this.#wire.sent.length;
    this.#isApart = true;
    this.log.push(`deletes ${wish.id}`);
  }

  #discard(wish: Wish): void {
    this.#context.discard(wish.entity);
    wish.change = undefined;
    this.#isApart = true;
    this.log.push(`discards ${wish.id}`);
  }

  async #savePart(wish: Wish): Promise<void> {
    const batch = this.#pick(["auto", "none"] as const);
    // A group is one only while it was sent and may be stored: time, or its marker, may prove that it was not.
    const inDoubt = this.#wishes.some(({ entity }) => this.#context.entry(entity).inDoubt);
    if (!inDoubt || this.#hasWaited || this.#isMarked) this.#isApart = true;
    const save = { ...this.#scenario.save, batch, only: [wish.entity] };
    await this.#report("save", () => this.#context.saveChanges(save), `only ${wish.id}, ${batch}`, save.only);
  }

  async #reload(wish: Wish): Promise<void> {
    const mergeOption = this.#pick(["preserveChanges", "overwriteChanges"] as const);
    this.log.push(`reloads ${wish.id} with ${mergeOption}`);
    const { state } = this.#context.entry(wish.entity);
    await this.#context.reload(wish.entity, { mergeOption }).then(
      () => this.#unseen.delete(wish.id),
      () => undefined,
    );
    const now = this.#context.entry(wish.entity).state;
    if (now === state) return;
    this.#isApart = true;
    if (now === "unchanged" || now === "detached") wish.change = undefined;
  }

  async #query(): Promise<void> {
    const option = this.#pick(["preserveChanges", "appendOnly"] as const);
    this.log.push(`queries with ${option}`);
    const query = this.#context
      .query(this.#scenario.entityClass)
      .where({ part: this.#part } as never)
      .mergeOption(option);
    await query.toArray().then(
      () => option === "preserveChanges" && this.#unseen.clear(),
      () => undefined,
    );
  }

  async #resolve(): Promise<void> {
    const wait = this.#random() < 0.3;
    if (wait) this.#wire.held = [];
    const faultRate = this.#faultRate;
    const isCalm = this.#random() < 0.5;
    if (isCalm) this.#faultRate = 0;
    const results = await this.#report("resolve", () => this.#context.resolveInDoubt({ wait }));
    this.#faultRate = faultRate;
    if (this.#isMarked && isCalm && results.some(({ outcome }) => outcome === "unknown"))
      this.violations.push("4: unknown after resolveInDoubt() reached storage");
  }

  async #report(
    call: "save" | "resolve",
    work: () => Promise<readonly SaveResult[]>,
    how = "",
    only?: readonly object[],
  ): Promise<readonly SaveResult[]> {
    const before = new Map(this.#wishes.map((wish) => [wish.entity as object, wish.change]));
    const inDoubt = new Map(
      this.#wishes.map(({ entity }) => [entity as object, this.#context.entry(entity).inDoubt]),
    );
    const lost = this.#lostChanges();
    const results = await work().catch(
      (error: unknown) => (error as SaveError).results ?? Promise.reject(error),
    );
    this.log.push(`${call} ${how}: ${results.map(describe).join(", ")}`);
    for (const wish of this.#wishes) {
      const result = results.find(({ entity }) => entity === wish.entity);
      if (result === undefined) continue;
      const wanted = before.get(wish.entity);
      const isOfWanted =
        (result.operation === "delete") === (wanted === "delete") && only?.includes(wish.entity) !== false;
      // What a delayed write overwrote, or stored again, is pending again: the program did not ask for it.
      if (call === "save" && wanted === undefined && result.outcome === "rejected") continue;
      // What is resolved is what was sent last.
      const change = call === "save" && isOfWanted ? wanted : lost.get(wish.id);
      this.#check(wish, result, change, inDoubt.get(wish.entity) === true);
    }
    // What was taken over with no edits pending is what the program sees now.
    for (const { id, entity } of this.#wishes)
      if (this.#context.entry(entity).state === "unchanged") this.#unseen.delete(id);
    return results;
  }

  /** The change that was sent last for each row. */
  #lostChanges(): Map<string, Wish["change"]> {
    const changes = new Map<string, Wish["change"]>();
    for (const { operations } of this.#wire.sent)
      for (const operation of operations)
        for (const { id } of this.#wishes)
          if (isOfKey(operation, { partitionKey: this.#part, rowKey: id }))
            changes.set(id, changeOf(operation));
    return changes;
  }

  #check(wish: Wish, result: SaveResult, change: Wish["change"], wasInDoubt: boolean): void {
    const { outcome, evidence } = result;
    const sent = this.#sentFor(wish.id, change).filter(
      (one) => change !== "delete" || this.#wire.sent.indexOf(one) >= wish.since,
    );
    const isApplied = sent.some((one) => one.isApplied);
    const what = `${wish.id} ${change}`;
    switch (outcome) {
      case "committed":
        if (change !== undefined && evidence !== "gone" && !isApplied)
          this.violations.push(`1: ${what} committed by ${evidence}, never applied`);
        if (wish.change === change) wish.change = undefined;
        // The rest of its group goes on without a row that is gone.
        if (evidence === "gone") this.#isApart = true;
        return;
      case "rejected":
        if (isApplied) this.violations.push(`2: ${what} rejected, was applied`);
        this.#rejections.push({ what, sent });
        this.#isApart = true;
        return;
      case "unknown":
        if (!wasInDoubt && this.#sentFor(wish.id, undefined).length === 0)
          this.violations.push(`7: ${what} unknown, nothing was sent`);
        return;
      default:
        result satisfies never;
    }
  }

  /** The requests that were sent for a change of a row; for any change when undefined. */
  #sentFor(id: string, change: Wish["change"]): Sent[] {
    const isMeant = (operation: WriteOperation): boolean =>
      isOfKey(operation, { partitionKey: this.#part, rowKey: id }) &&
      (change === undefined || changeOf(operation) === change);
    return this.#wire.sent.filter(({ operations }) => operations.some(isMeant));
  }

  /** No faults any more: requests that were held arrive or not, and saves end everything. */
  async #end(): Promise<void> {
    for (const request of this.#wire.held) if (this.#random() < 0.7) await this.#wire.arrive(request);
    for (const { what, sent } of this.#rejections)
      if (sent.some((one) => one.isApplied)) this.violations.push(`2: ${what} rejected, applied later`);
    this.#checkGroup();
    if (this.#isMarked) this.#checkAppliedOnce();
    this.#faultRate = 0;
    this.#wire.held = [];
    this.#clock.advance(61_000);
    for (let i = 0; i < 3; i++) await this.#report("save", () => this.#context.saveChanges());
    if (this.#wishes.some(({ entity }) => this.#context.entry(entity).inDoubt))
      this.violations.push("5: still in doubt without faults");
  }

  #checkOverwritten({ operations }: Sent): void {
    for (const operation of operations) {
      const id = keyOfOperation(operation).rowKey;
      if (conditionOf(operation) === undefined) this.#unseen.delete(id);
      else if (this.#unseen.has(id))
        this.violations.push(`9: ${operation.type} of ${id} overwrote an unseen version`);
    }
  }

  #checkGroup(): void {
    if (this.#isApart || this.#scenario.save.batch !== "atomic") return;
    const isPart = ({ isApplied, operations }: Sent): boolean => {
      const members = operations.filter((one) => !isMarker(one)).length;
      return isApplied && members > 0 && members < this.#wishes.length;
    };
    if (this.#wire.sent.some(isPart)) this.violations.push("3: an atomic group was split");
  }

  #checkAppliedOnce(): void {
    const applied = this.#wire.sent
      .filter(({ isApplied }) => isApplied)
      .flatMap(({ operations }) => operations.filter((one) => !isMarker(one)));
    const changes = applied.map(changeOf).filter((change) => change !== "delete");
    if (new Set(changes).size < changes.length) this.violations.push("4: a change was applied twice");
  }
}

const isMarker = (operation: WriteOperation): boolean => keyOfOperation(operation).rowKey.startsWith("~w~");

const changeOf = (operation: WriteOperation): number | "delete" =>
  operation.type === "delete" ? "delete" : (operation.entity["value"] as number);

const describe = ({ outcome, evidence, operation, subject, error, lateUntil }: SaveResult): string =>
  [
    subject,
    operation,
    outcome,
    evidence ?? (error as { code?: string } | undefined)?.code,
    lateUntil && "open",
  ].join(" ");
