import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { StateError } from "../../values/errors/state-error.ts";
import type { OwnedList } from "./owned-lists.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** The error for a list with another object in it, or for another value instead of a list. */
export function notAMember({ parent, property, child }: OwnedList, at: number | undefined): StateError {
  const what =
    at === undefined
      ? `${property} of ${subjectOf(parent.model, parent.key)} is not a list`
      : `${property}[${at}] of ${subjectOf(parent.model, parent.key)} is not a ${child.name}`;
  return new StateError(
    "entity.not-a-member",
    `${what}. Use instances of ${child.name}: push(new ${child.name}({ … })), or call createIn(parent, "${property}", values).`,
    { entity: parent.model.name, property, ...(at !== undefined && { index: at }) },
  );
}

/** The error for a call that needs to know all members of a list. */
export const listNotLoaded = ({ model, key }: TrackedEntity, property: string, remedy: string): StateError =>
  new StateError(
    "entity.list-not-loaded",
    `${property} of ${subjectOf(model, key)} was not loaded, so its members are unknown. ${remedy}, or load the list with include().`,
    { entity: model.name, property },
  );

/** The error for an entity that is attached with members, since they have their own versions. */
export const attachedWithList = ({ name }: EntityModel, property: string): StateError =>
  new StateError(
    "entity.list-not-loaded",
    `attach() does not accept a list, but ${property} of this ${name} has members, whose versions are unknown. Attach each member separately, or read the ${name} with include().`,
    { entity: name, property },
  );
