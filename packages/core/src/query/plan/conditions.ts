import { inherits } from "../../errors/brand.ts";
import type { EntityClass } from "../../model/entity-definition.ts";
import { type EntityModel, findProperty } from "../../model/entity-model.ts";
import { normalize, type NormalNode, type PredicateNode } from "../build/predicate-node.ts";
import { checkOperands } from "./check-operands.ts";

/** Something that must hold: for every row of a query, or for those of one kind. */
export interface Condition {
  readonly node: PredicateNode;
  readonly kind?: EntityClass;
}

/** What must hold of a query's rows, and what that means for each kind: worked out once for each query. */
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
