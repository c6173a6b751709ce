// The part of planning that no operand changes: the alternatives of a predicate, and which condition of each is about
// which part of a key. It is worked out once for each shape of query and remembered for the class. `rangesOfKind`
// (plan-query.ts) then binds the operands to it, for remembered shapes and for new ones alike.
import type { KeyPart, KeyTemplate } from "../../values/keys/key-template.ts";
import { verbatim } from "../../values/keys/verbatim.ts";
import { type EntityModel, findIndex } from "../../model/declaration/entity-model.ts";
import { kindsBelow } from "../../model/declaration/model-registry.ts";
import { perModel } from "../../model/declaration/per-model.ts";
import type { NormalNode } from "../build/predicate-node.ts";
import { disjuncts } from "./disjuncts.ts";

/** A shape, and the conditions of one query at the positions that the shape refers to. */
export interface ShapedPredicate {
  readonly shape: PlanShape;
  readonly nodes: readonly NormalNode[];
}

/** Words of a shape that is remembered at most: longer ones are rare, and have many alternatives. */
const maxWords = 64;

/**
 * The shape of a predicate, remembered or learned.
 *
 * @param kinds - those that the query may return
 */
export function shapeOfKind(
  model: EntityModel,
  predicate: NormalNode | undefined,
  kinds: readonly EntityModel[],
): ShapedPredicate {
  const nodes: NormalNode[] = [];
  const words: string[] = [];
  if (predicate !== undefined) describe(predicate, nodes, words);
  const known = words.length > maxWords ? undefined : shapesOf(model).find(words);
  // A kind may be declared after the shape was learned.
  if (known !== undefined && isSameList(known.kinds, kinds)) return { shape: known, nodes };
  const count = nodes.length;
  const shape = learnShape(model, predicate, nodes, kinds);
  // A condition that was made from operands has no position in another query.
  if (words.length <= maxWords && nodes.length === count) shapesOf(model).remember(words, shape);
  return { shape, nodes };
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((each, i) => each === b[i]));

/**
 * Lists the nodes of a predicate, and describes its shape in words. Lists end with a word, so no two shapes have the
 * same description.
 */
function describe(node: NormalNode, nodes: NormalNode[], words: string[]): void {
  nodes.push(node);
  if ("nodes" in node) {
    words.push(node.type);
    for (const child of node.nodes) describe(child, nodes, words);
    words.push("end");
    return;
  }
  if (node.type === "not") words.push("not");
  const leaf = node.type === "not" ? node.node : node;
  words.push(leaf.type === "compare" ? leaf.op : leaf.type, leaf.property);
}

function learnShape(
  model: EntityModel,
  predicate: NormalNode | undefined,
  nodes: NormalNode[],
  kinds: PlanShape["kinds"],
): PlanShape {
  const isOfPart = (property: string): boolean =>
    model.keyProperties.some(({ name }) => name === property) ||
    model.derivedParts.some(({ part }) => part.property === property);
  const alternatives = predicate === undefined ? [[]] : disjuncts(predicate, isOfPart);
  const templates = rowTemplatesOf(model);
  return {
    kinds,
    alternatives: alternatives.map((conditions) => ({
      conditions: conditions.map((node) => placeOf(node, nodes)),
      partition: boundKey(model.partitionKey, conditions),
      rows: templates.map((template) => boundKey(template, conditions)),
    })),
    isBase: model.index === undefined && model.kind === undefined && kindsOf(model).length > 0,
    mayReachIntoOthers: mayReachIntoOthers(model),
  };
}

function placeOf(node: NormalNode, nodes: NormalNode[]): number {
  const place = nodes.indexOf(node);
  return place >= 0 ? place : nodes.push(node) - 1;
}

const boundKey = (template: KeyTemplate, conditions: readonly NormalNode[]): BoundKey => ({
  template,
  places: template.parts.map(({ property }) =>
    [...conditions.keys()].filter((place) => isOn(property, conditions[place] as NormalNode)),
  ),
});

const isOn = (property: string | undefined, node: NormalNode): boolean =>
  property !== undefined && "property" in node && node.property === property;

/**
 * Whether a range for the keys of kinds that have further parts may hold keys of other kinds, because their last part
 * of the base contains the separator: then rows are checked by the parts that their own class reads.
 */
function mayReachIntoOthers(model: EntityModel): boolean {
  const { parts, separator } = model.rowKey;
  const last = parts.at(-1)?.format;
  const isBase = model.index === undefined && kindsOf(model).length > 0;
  return isBase && last !== undefined && last.width === undefined && last.separator !== separator;
}

/**
 * The forms of a class's RowKeys. A base class includes its kinds, which may put their name before its parts or have
 * further parts after them; and kinds that no class declares, unless their name comes first.
 */
function rowTemplatesOf(model: EntityModel): readonly KeyTemplate[] {
  const { rowKey } = model;
  const kinds = kindsOf(model);
  if (kinds.length === 0) return rowKey.parts.length === 0 ? [] : [rowKey];
  const forms = kinds.map((kind) => kind.rowKey);
  if (kinds.some(({ kind }) => kind?.key === "prefix")) return forms;
  // Nothing is known of a base's rows where it has no parts of its own.
  if (rowKey.parts.length === 0) return [];
  const longer = { ...rowKey, parts: [...rowKey.parts, furtherParts] };
  const isOther = forms.some(({ separator }) => separator !== rowKey.separator);
  return [...(isOther ? forms : []), rowKey, longer];
}

/** The kinds of a base class; for index rows, in their form in the index. */
function kindsOf({ kind, entityClass, index }: EntityModel): readonly EntityModel[] {
  if (kind !== undefined) return [];
  const kinds = [...kindsBelow(entityClass).values()];
  if (index === undefined) return kinds;
  return kinds.flatMap((each) => findIndex(each, index)?.rows ?? []);
}

const furtherParts: KeyPart = { property: undefined, format: verbatim };

/** A key, and for each of its parts the conditions on its property, by their positions among all conditions. */
export interface BoundKey {
  readonly template: KeyTemplate;
  readonly places: readonly (readonly number[])[];
}

/** Conditions that must all hold, by their positions in the predicate, and their effect on the keys. */
export interface AlternativeShape {
  readonly conditions: readonly number[];
  readonly partition: BoundKey;
  /** One for each form of RowKey that the class's rows may have. */
  readonly rows: readonly BoundKey[];
}

/**
 * The part of a plan that follows from the shape of a predicate: which properties it compares and how. It holds no
 * operand.
 */
export interface PlanShape {
  /** The kinds that there were when the shape was learned, to be compared with those that there are now. */
  readonly kinds: readonly unknown[];
  readonly alternatives: readonly AlternativeShape[];
  /** Whether the class has kinds below it. */
  readonly isBase: boolean;
  /** Whether a range of RowKeys may hold rows of other classes; the range then decides nothing. */
  readonly mayReachIntoOthers: boolean;
}

/** Shapes that one class remembers at most. */
const maxShapes = 64;

interface Branch {
  shape?: PlanShape;
  readonly next: Map<string, Branch>;
}

/** The shapes of queries over one class, found by the words that describe them. The planner learns and uses them. */
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
const shapesOf: (model: EntityModel) => PlanShapes = perModel(() => new PlanShapes());
