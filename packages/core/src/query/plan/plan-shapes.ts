import type { EntityModel } from "../../model/entity-model.ts";
import { perModel } from "../../model/per-model.ts";
import type { KeyTemplate } from "../../keys/key-template.ts";

/** A key, and for each of its parts the conditions on its property, by their places among all conditions. */
export interface BoundKey {
  readonly template: KeyTemplate;
  readonly places: readonly (readonly number[])[];
}

/** Conditions that must all hold, by their places in the predicate, and what they say of the keys. */
export interface AlternativeShape {
  readonly conditions: readonly number[];
  readonly partition: BoundKey;
  /** One for each form of RowKey that the class's rows may have. */
  readonly rows: readonly BoundKey[];
}

/** What follows from the shape of a predicate: which properties it compares and how. It holds no operand. */
export interface PlanShape {
  /** The kinds that there were when the shape was learned, to be compared with those that there are now. */
  readonly kinds: readonly unknown[];
  readonly alternatives: readonly AlternativeShape[];
  /** Whether the class stands for kinds below it. */
  readonly isBase: boolean;
  /** Whether a range of RowKeys may hold rows of others, so that the range decides nothing. */
  readonly mayReachIntoOthers: boolean;
}

/** Shapes that one class remembers at most. */
const maxShapes = 64;

interface Branch {
  shape?: PlanShape;
  readonly next: Map<string, Branch>;
}

/** The shapes of queries over one class, found by the words that say them. The planner learns and uses them. */
class PlanShapes {
  #root: Branch = { next: new Map() };
  #size = 0;

  find(words: readonly string[]): PlanShape | undefined {
    let branch: Branch | undefined = this.#root;
    for (const word of words) {
      branch = branch.next.get(word);
      if (branch === undefined) return undefined;
    }
    return branch.shape;
  }

  /** Remembers a shape. Beyond the limit, it drops all others first. */
  remember(words: readonly string[], shape: PlanShape): void {
    if (this.#size === maxShapes) [this.#root, this.#size] = [{ next: new Map() }, 0];
    let branch = this.#root;
    for (const word of words) {
      let next = branch.next.get(word);
      if (next === undefined) branch.next.set(word, (next = { next: new Map() }));
      branch = next;
    }
    if (branch.shape === undefined) this.#size++;
    branch.shape = shape;
  }
}

/** The shapes that are remembered of a class. */
export const shapesOf: (model: EntityModel) => PlanShapes = perModel(() => new PlanShapes());
