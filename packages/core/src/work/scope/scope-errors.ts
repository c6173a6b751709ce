import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { StateError } from "../../values/errors/state-error.ts";

const refused = (message: string, { name }: EntityModel, property?: string): StateError =>
  new StateError("context.scope", message, { entity: name, ...(property !== undefined && { property }) });

/** The error for a class without a declaration about scopes, in a context with a scope. */
export const notDeclared = (model: EntityModel): StateError =>
  refused(
    `${model.name} is declared with neither scopedBy nor unscoped, but this context has a scope. Declare the class with scopedBy: "tenant" (the property that contains the scope), or with unscoped: true if its rows belong to every scope.`,
    model,
  );

/** The error for a class with `scopedBy` in a context without a scope. */
export const withoutScope = (model: EntityModel, property: string): StateError =>
  refused(
    `${model.name} is declared with scopedBy: "${property}", but this context has no scope. Pass new TableContext(storage, { scope: { ${property}: … } }), or { scope: "all" } for the rows of every scope.`,
    model,
    property,
  );

/** The error for a class if the scope has no value for its property. */
export const withoutValue = (model: EntityModel, property: string): StateError =>
  refused(
    `${model.name} is declared with scopedBy: "${property}", but the scope of this context has no value for ${property}. Add it: { scope: { ${property}: … } }.`,
    model,
    property,
  );

/** The error for a key, a condition or an entity that names another scope. */
export const otherScope = (model: EntityModel, property: string): StateError =>
  refused(
    `${model.name}.${property} differs from the value in this context's scope. Leave it out, or use a context with that scope.`,
    model,
    property,
  );
