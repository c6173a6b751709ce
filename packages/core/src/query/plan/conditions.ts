import { inherits } from "../../values/errors/brand.ts";
import type { ComparisonOperator } from "../../values/filter/filter-node.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import { type EntityModel, findProperty } from "../../model/declaration/entity-model.ts";
import { wrongOperand } from "../build/columns.ts";
import type { NormalNode, PredicateLeaf, PredicateNode } from "../build/predicate-node.ts";
import { comparisonNode, prefixNode } from "./lower-predicate.ts";

/** A condition on every row of a query, or on those of one kind. */
export interface Condition {
  readonly node: PredicateNode;
  readonly kind?: EntityClass;
}

/** The conditions on a query's rows, and their form for each kind: computed once for each query. */
export class Conditions {
  readonly list: readonly Condition[];
  readonly #byModel = new Map<EntityModel, NormalNode | undefined>();

  constructor(list: readonly Condition[] = []) {
    this.list = list;
  }

  /** These and more. */
  and(nodes: readonly PredicateNode[], kind?: EntityClass): Conditions {
    const more = nodes.map((node): Condition => (kind === undefined ? { node } : { node, kind }));
    return new Conditions([...this.list, ...more]);
  }

  /** All of them in a model's terms. */
  for(model: EntityModel): NormalNode | undefined {
    if (!this.#byModel.has(model)) this.#byModel.set(model, this.#normalized(model));
    return this.#byModel.get(model);
  }

  #normalized(model: EntityModel): NormalNode | undefined {
    const nodes = this.list
      .filter(({ kind }) => kind === undefined || isOf(model, kind))
      .map(({ node }) => node);
    if (nodes.length === 0) return undefined;
    const isKeyPart = (name: string): boolean => {
      const property = findProperty(model, name);
      return property !== undefined && "key" in property;
    };
    const node = normalize({ type: "and", nodes }, isKeyPart);
    checkOperands(model, node);
    return node;
  }
}

const isOf = ({ entityClass }: EntityModel, kind: EntityClass): boolean =>
  entityClass === kind || inherits(entityClass.prototype, kind);

/**
 * Pushes `not` to the leaves and flattens lists.
 *
 * @param isAlwaysPresent - whether every entity has a property (key parts): only their negations may become the
 *   opposite comparison, since a comparison with an absent value is false either way
 */
function normalize(node: PredicateNode, isAlwaysPresent: (property: string) => boolean): NormalNode {
  const walk = (current: PredicateNode, isNegated: boolean): NormalNode => {
    switch (current.type) {
      case "and":
      case "or": {
        const type = (current.type === "and") === isNegated ? "or" : "and";
        const nodes = current.nodes.map((child) => walk(child, isNegated));
        const flat = nodes.flatMap((child) =>
          "nodes" in child && child.type === type ? child.nodes : [child],
        );
        const folded = type === "or" ? foldEqualities(flat) : flat;
        return folded.length === 1 ? (folded[0] as NormalNode) : { type, nodes: folded };
      }
      case "not":
        return walk(current.node, !isNegated);
      case "compare":
        if (!isNegated) return current;
        return isAlwaysPresent(current.property)
          ? { ...current, op: opposite[current.op] }
          : { type: "not", node: current };
      case "in":
      case "startsWith":
      case "exists":
        return isNegated ? { type: "not", node: current } : current;
      default:
        return current satisfies never;
    }
  };
  return walk(node, false);
}

function equalValues(node: NormalNode): readonly unknown[] | undefined {
  if (node.type === "in") return node.values;
  return node.type === "compare" && node.op === "eq" ? [node.value] : undefined;
}

/** Alternatives of equality on one property are one list of values: `a eq 1 or a eq 2` becomes `a in [1, 2]`. */
function foldEqualities(nodes: readonly NormalNode[]): readonly NormalNode[] {
  const lists = new Map<string, unknown[]>();
  for (const node of nodes) {
    const values = equalValues(node);
    if (values === undefined) continue;
    const { property } = node as PredicateLeaf;
    const list = lists.get(property);
    if (list === undefined) lists.set(property, [...values]);
    else list.push(...values);
  }
  return nodes.flatMap((node): readonly NormalNode[] => {
    if (equalValues(node) === undefined) return [node];
    const { property } = node as PredicateLeaf;
    const values = lists.get(property);
    lists.delete(property);
    return values === undefined ? [] : [{ type: "in", property, values }];
  });
}

const opposite: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "ne",
  ne: "eq",
  gt: "le",
  ge: "lt",
  lt: "ge",
  le: "gt",
};

/**
 * Refuses comparisons with values of another type, anywhere in the predicate.
 *
 * @throws QueryError `query.wrong-type` or `query.not-comparable`, naming class and property
 */
function checkOperands(model: EntityModel, node: NormalNode): void {
  if ("nodes" in node) for (const child of node.nodes) checkOperands(model, child);
  else checkLeaf(model, node.type === "not" ? node.node : node);
}

function checkLeaf(model: EntityModel, leaf: PredicateLeaf): void {
  const operands = operandsOf(leaf);
  const part = model.keyProperties.find((p) => p.name === leaf.property);
  if (part !== undefined) {
    const template = part.key === "PartitionKey" ? model.partitionKey : model.rowKey;
    const format = template.parts[part.index]?.format;
    if (format === undefined) return;
    for (const operand of operands)
      if (!format.accepting(operand)) throw wrongOperand(model.name, leaf.property, format.accepts, operand);
    return;
  }
  const property = model.properties.find((p) => p.name === leaf.property);
  if (property === undefined) return;
  if (leaf.type === "startsWith") prefixNode(property, leaf.value);
  else
    for (const operand of operands)
      comparisonNode(property, leaf.type === "compare" ? leaf.op : "eq", operand);
}

function operandsOf(leaf: PredicateLeaf): readonly unknown[] {
  switch (leaf.type) {
    case "compare":
    case "startsWith":
      return [leaf.value];
    case "in":
      return leaf.values;
    case "exists":
      return [];
    default:
      return leaf satisfies never;
  }
}
