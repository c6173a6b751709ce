// The scope of one context, such as its tenant. Every way to reach rows passes through it: queries (`forQuery`, called
// by `context.query`), keys and new values (`fill`, by `find`, `create` and others), entities that become tracked
// (`admit`, by the change tracker), rows that are read by key (`holds`, by the entity reader and saves), and finally
// each entity that a save sends (`check`, by `save/collect-changes.ts`).

import type { KindChooser } from "../../model/codec/choose-kind.ts";
import { notLoaded } from "../../model/codec/snapshot.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { PredicateNode } from "../../query/build/predicate-node.ts";
import type { Condition } from "../../query/plan/conditions.ts";
import type { QueryScope } from "../../query/query-state.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { notDeclared, otherScope, withoutScope, withoutValue } from "./scope-errors.ts";
import { ScopedProperty } from "./scoped-property.ts";

/** The value of a scope for one property: a non-empty text, a number, a bigint or a Boolean. */
type ScopeValue = string | number | bigint | boolean;

/** The scope of a context by property, such as `{ tenant: "acme" }`, or the rows of every scope. */
export type ScopeOption = Readonly<Record<string, ScopeValue>> | "all";

/** An entity that is about to be sent, with the values of its snapshot. */
interface SentEntity {
  readonly model: EntityModel;
  readonly entity: object;
  readonly values: readonly unknown[] | undefined;
}

/** The scope of one context. */
export class ContextScope {
  /** Undefined for a context without a scope. */
  readonly option: ScopeOption | undefined;
  readonly #known = new Map<EntityModel, ScopedProperty>();

  constructor(option: ScopeOption | undefined) {
    // A copy, so later changes to the program's object don't change the scope.
    this.option = typeof option === "object" ? Object.freeze({ ...option }) : option;
  }

  /**
   * The property of a class that the scope fixes; undefined if it fixes none.
   *
   * @throws StateError `context.scope` if the class and the context disagree about scopes
   */
  of(model: EntityModel): ScopedProperty | undefined {
    const { scopedBy, unscoped } = model.options;
    const { option } = this;
    if (option === undefined && scopedBy !== undefined) throw withoutScope(model, scopedBy);
    if (typeof option !== "object" || unscoped === true) return undefined;
    const known = this.#known.get(model);
    if (known !== undefined) return known;
    if (scopedBy === undefined) throw notDeclared(model);
    if (!Object.hasOwn(option, scopedBy)) throw withoutValue(model, scopedBy);
    const property = new ScopedProperty(model, scopedBy, option[scopedBy]);
    this.#known.set(model, property);
    return property;
  }

  /** Adds the scope's value to a key or to the values of a new entity. @throws StateError `context.scope` */
  fill<Values extends object>(model: EntityModel, values: Values): Values {
    const scoped = this.of(model);
    if (scoped === undefined) return values;
    const given = valueIn(values, scoped);
    if (given === undefined) return { ...values, [scoped.name]: scoped.value };
    if (!scoped.isSame(given)) throw otherScope(model, scoped.name);
    return values;
  }

  /**
   * Sets the scope's value on an entity that becomes tracked.
   *
   * @returns whether its row has to be read before it is written, because its key does not contain the scope
   * @throws StateError `context.scope`
   */
  admit(model: EntityModel, entity: object): boolean {
    const scoped = this.of(model);
    if (scoped === undefined) return false;
    const given = valueIn(entity, scoped);
    // A frozen entity stays unchanged; its key or the save then fails for lack of the value.
    if (given === undefined) Reflect.set(entity, scoped.name, scoped.value);
    else if (!scoped.isSame(given)) throw otherScope(model, scoped.name);
    return !scoped.isInKey;
  }

  /** Whether a row that was read by key belongs to the scope. */
  holds(model: EntityModel, row: StoredEntity): boolean {
    const scoped = this.of(model);
    return scoped === undefined || scoped.isInKey || scoped.holds(row);
  }

  /** Refuses an entity that a save would store outside of the scope. @throws StateError `context.scope` */
  check({ model, entity, values }: SentEntity): void {
    const scoped = this.of(model);
    if (scoped === undefined) return;
    const given = valueIn(entity, scoped);
    const isUnknown = scoped.at !== undefined && values?.[scoped.at] === notLoaded;
    if (given === undefined ? !isUnknown : !scoped.isSame(given)) throw otherScope(model, scoped.name);
  }

  /** The scope's effect on a query; undefined if there is none. @throws StateError `context.scope` */
  forQuery({ models, kinds }: KindChooser): QueryScope | undefined {
    const scoped = [...new Set([...models, ...kinds])].flatMap((model) => {
      const property = this.of(model);
      return property === undefined ? [] : [{ model, property }];
    });
    const [first] = scoped;
    if (first === undefined) return undefined;
    const isShared =
      scoped.length === new Set([...models, ...kinds]).size &&
      scoped.every(({ property }) => property.name === first.property.name);
    const conditions = isShared
      ? [{ node: first.property.condition }]
      : scoped.map(({ model, property }): Condition => ({
          node: property.condition,
          kind: model.entityClass,
        }));
    return {
      conditions,
      properties: [...new Set(scoped.map(({ property }) => property.name))],
      check: (nodes) => {
        for (const { model, property } of scoped) for (const node of nodes) checkNode(model, property, node);
      },
      holds: (of, row) => [...of.models, ...of.kinds].some((model) => this.holds(model, row)),
    };
  }
}

/** For contexts without a scope. */
export const noScope: ContextScope = new ContextScope(undefined);

/** An object's value for the property; undefined also for null. */
const valueIn = (values: object, { name }: ScopedProperty): unknown =>
  (values as Readonly<Record<string, unknown>>)[name] ?? undefined;

/** Refuses a condition that names another scope. Comparisons that only narrow the query are allowed. */
function checkNode(model: EntityModel, scoped: ScopedProperty, node: PredicateNode): void {
  if ("nodes" in node) for (const child of node.nodes) checkNode(model, scoped, child);
  else if (node.type === "not") checkNode(model, scoped, node.node);
  else if (node.property === scoped.name) {
    const named =
      node.type === "in" ? node.values : node.type === "compare" && node.op === "eq" ? [node.value] : [];
    if (!named.every((value) => scoped.isSame(value))) throw otherScope(model, scoped.name);
  }
}
