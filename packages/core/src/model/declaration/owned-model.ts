import { ModelError } from "../../values/errors/model-error.ts";
import { inherits } from "../../values/errors/brand.ts";
import { childModelOf } from "./child-model.ts";
import type { EntityModel } from "./entity-model.ts";
import { perModel } from "./per-model.ts";

/** A list that belongs to its parent, and the model of its members. */
export interface OwnedListModel {
  readonly property: string;
  readonly child: EntityModel;
}

/**
 * The lists that the entities of a class own.
 *
 * @throws ModelError `model.children` for children that do not fit, and for two lists with members of the same class,
 *   or of a class and a kind of it
 */
export const ownedListsOf: (model: EntityModel) => readonly OwnedListModel[] = perModel(
  (model): readonly OwnedListModel[] => {
    const lists = model.children
      .filter(({ isOwned }) => isOwned === true)
      .map(({ property }) => ({ property, child: childModelOf(model, property) }));
    for (const [at, { property, child }] of lists.entries()) {
      const other = lists.slice(0, at).find((each) => isOf(each.child, child) || isOf(child, each.child));
      if (other !== undefined)
        throw new ModelError(
          "model.children",
          `${model.name} owns ${child.name} in two lists, ${other.property} and ${property}, and no key tells which of them a stored ${child.name} belongs to. Declare a kind for each list.`,
          { entity: model.name, property, child: child.name },
        );
    }
    return lists;
  },
);

/** Whether a list of a class is an owned one, not a view. */
export const isOwnedList = ({ children }: EntityModel, property: string): boolean =>
  children.some((list) => list.property === property && list.isOwned === true);

/** Whether a class is another one, or a kind below it. */
const isOf = ({ entityClass }: EntityModel, { entityClass: other }: EntityModel): boolean =>
  entityClass === other || inherits(entityClass.prototype, other);

/** Whether entities of a class own a list. */
export const ownsLists = ({ children }: EntityModel): boolean =>
  children.some(({ isOwned }) => isOwned === true);
