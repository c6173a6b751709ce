import {
  defineEntity,
  int32,
  type MergeOption,
  type SaveOptions,
  StateError,
  type TableContext,
  text,
} from "@partita/core";
import { constant, verbatim } from "@partita/core/keys";
import { sendWith } from "@partita/core/internal";
import { type ActorTools, atomicGroups, nothingStuck, outcomes, sessions } from "../../src/index.ts";
import type { Proof, Workload } from "./workload.ts";

const [group, ids] = ["g", ["a", "b", "c", "d"]];
const mergeOptions = ["appendOnly", "preserveChanges"] as const satisfies readonly MergeOption[];

/** What a class of random work has. */
export interface WorkOptions {
  readonly name: string;
  /** Whether its rows have rows in an index. */
  readonly isIndexed?: boolean;
  /** Whether changes send messages. */
  readonly sendsMessages?: boolean;
}

/**
 * Everything that a program can ask of a context, in any order: long-lived contexts, edits of what is in doubt, upserts, any
 * version, removals by key, projections, merge options and all options of a save.
 */
export function randomWork(
  proof: Proof,
  { name, isIndexed = false, sendsMessages = false }: WorkOptions,
): Workload {
  class Doc extends defineEntity({
    table: "Docs",
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { a: int32().optional(), b: int32().optional(), label: text().optional() },
    ...(isIndexed && { indexes: { byLabel: { rowKey: { label: constant("L:", verbatim) } } } }),
    ...(sendsMessages && { outbox: true }),
    ...proof,
  }) {}
  type Entity = InstanceType<typeof Doc>;

  /** One context of an actor, which lives as long as the actor. */
  class Life {
    readonly context: TableContext;
    readonly #known = new Set<Entity>();
    #tools: ActorTools;

    constructor(tools: ActorTools) {
      this.context = tools.openContext();
      this.#tools = tools;
    }

    async step(tools: ActorTools): Promise<void> {
      this.#tools = tools;
      for (let left = 1 + tools.random.below(3); left > 0; left--) await this.#do();
      if (sendsMessages) this.#send();
      await this.context.saveChanges(this.#saveOptions());
    }

    async #do(): Promise<void> {
      const { random } = this.#tools;
      const work = random.oneOf<() => void | Promise<void>>([
        () => this.#find(),
        () => this.#find(),
        () => this.#query(),
        () => this.#edit(),
        () => this.#edit(),
        () => this.#edit(),
        () => this.#remove(),
        () => this.#make(),
        () => this.#make(),
        () => this.#giveUp(),
        () => this.#modify(),
        () => this.#wait(),
      ]);
      try {
        await work();
      } catch (error) {
        // Not everything can be asked of an entity in every state.
        if (!StateError.is(error)) throw error;
      }
    }

    get #key(): { group: string; id: string } {
      return { group, id: this.#tools.random.oneOf(ids) };
    }

    /** Rarely the same as another one, and sometimes: equal values are the hardest to tell apart. */
    get #number(): number {
      const { random, number, step } = this.#tools;
      return random.below(4) === 0 ? 1 + random.below(2) : 1000 * number + 100 * step + random.below(100);
    }

    #values(): { a?: number; b?: number; label?: string } {
      const { random } = this.#tools;
      return {
        ...(random.below(2) === 0 && { a: this.#number }),
        ...(random.below(2) === 0 && { b: this.#number }),
        ...(random.below(3) === 0 && { label: random.oneOf(["x", "y"]) }),
      };
    }

    /** One of the tracked entities. */
    #one(): Entity | undefined {
      const tracked = [...this.#known].filter((doc) => this.context.entry(doc).state !== "detached");
      return tracked.length === 0 ? undefined : this.#tools.random.oneOf(tracked);
    }

    async #find(): Promise<void> {
      const found = await this.context.find(Doc, this.#key);
      if (found !== undefined) this.#known.add(found);
    }

    async #query(): Promise<void> {
      const { random } = this.#tools;
      const all = this.context.query(Doc).where({ group }).mergeOption(random.oneOf(mergeOptions));
      const found = await (random.below(3) === 0 ? all.select("a") : all).toArray();
      for (const doc of found) this.#known.add(doc as Entity);
    }

    #edit(): void {
      const doc = this.#one();
      if (doc === undefined || this.context.entry(doc).state === "deleted") return;
      Object.assign(doc, this.#values());
      if (this.#tools.random.below(6) === 0) this.context.update(doc, "b");
    }

    #remove(): void {
      const doc = this.#one();
      if (doc === undefined || this.#tools.random.below(3) === 0) {
        this.context.removeByKey(Doc, this.#key, "*");
        return;
      }
      this.context.remove(doc);
      // Taken back at once, sometimes.
      if (this.#tools.random.below(4) === 0) this.context.add(doc);
    }

    #make(): void {
      const { random } = this.#tools;
      const doc = new Doc({ ...this.#key, ...this.#values() });
      random.oneOf([
        () => this.context.add(doc),
        () => this.context.upsert(doc, random.oneOf(["merge", "replace"] as const)),
        () => this.context.upsert(doc, "merge", { idempotent: true }),
        () => {
          this.context.attach(doc, "*");
          doc.a = this.#number;
        },
      ])();
      this.#known.add(doc);
    }

    async #giveUp(): Promise<void> {
      const { random } = this.#tools;
      const doc = this.#one();
      if (doc === undefined) return;
      await random.oneOf<() => void | Promise<void>>([
        () => this.context.discard(doc),
        () => void this.context.detach(doc),
        () => this.context.reload(doc),
        () => this.context.reload(doc, { mergeOption: "preserveChanges" }),
      ])();
    }

    async #modify(): Promise<void> {
      await this.context.modify(Doc, this.#key, (doc) => void (doc.a = this.#number), { attempts: 3 });
    }

    async #wait(): Promise<void> {
      const { random, clock } = this.#tools;
      if (random.below(2) === 0) await clock.wait(random.below(70_000));
      else await this.context.resolveInDoubt({ wait: random.below(2) === 0 });
    }

    /** A message that nobody waits for: it only is a row of the same transaction. */
    #send(): void {
      const doc = this.#one();
      if (doc === undefined || this.context.entry(doc).state === "unchanged") return;
      const announce = (): Promise<{ end: () => Promise<void> }> =>
        Promise.resolve({ end: () => Promise.resolve() });
      sendWith(this.context, doc, { properties: { text: "hello" }, bytes: 30, announce });
    }

    #saveOptions(): SaveOptions {
      const { random } = this.#tools;
      const pending = this.context.pendingChanges().map(({ entity }) => entity);
      const only = pending.length > 0 && random.below(5) === 0 ? [random.oneOf(pending)] : undefined;
      return {
        batch: random.oneOf(["auto", "none", "atomic"] as const),
        update: random.oneOf(["merge", "merge", "replace"] as const),
        removeMissing: random.oneOf(["conflict", "ignore", "error"] as const),
        continueOnError: random.below(4) !== 0,
        ...(only !== undefined && { only }),
      };
    }
  }

  const lives = new Map<string, Life>();
  return {
    name,
    scenario: {
      classes: [Doc],
      context: { retry: { attempts: 2, delayMs: 10 } },
      setup(context) {
        lives.clear();
        for (const id of ids.slice(0, 3)) context.add(new Doc({ group, id, a: 1, b: 2, label: "x" }));
      },
      actors: {
        async editor(tools) {
          const life = lives.get(tools.name) ?? new Life(tools);
          lives.set(tools.name, life);
          await life.step(tools);
        },
      },
    },
    checks: [
      outcomes(),
      nothingStuck({ mayStayUnknown: proof.proof !== "marker" }),
      atomicGroups(),
      sessions(),
    ],
  };
}
