import { ModelError } from "../../values/errors/model-error.ts";
import { type PropertyPath, SerializationError } from "../../values/errors/serialization-error.ts";
import type { EmbeddedModel, PropertyModel } from "./entity-model.ts";
import type { EmbeddedDeclaration } from "./property-type.ts";

/** An embedded object of an entity. */
export interface EmbeddedSite {
  readonly path: PropertyPath;
  readonly declaration: EmbeddedDeclaration;
}

/**
 * Makes an object from the values of its members.
 *
 * @throws ModelError `model.constructor-failed` for a class that cannot be built without arguments
 */
export function buildObject({ path, declaration }: EmbeddedSite, values: object): object {
  const { create } = declaration;
  const embeddedClass = declaration.class();
  try {
    return create === undefined ? Object.assign(new embeddedClass(), values) : create(values as never);
  } catch (cause) {
    const how =
      create === undefined
        ? `by new ${embeddedClass.name}() without arguments: give embedded(…) a create function`
        : "by its create function, which gets the values of all leaves";
    throw new ModelError(
      "model.constructor-failed",
      `${path.entity}.${path.property} could not be built ${how}.`,
      { ...path },
      { cause },
    );
  }
}

/** Returns a value for each member of an embedded object: for its leaves, and for the objects in it. */
export function memberValues(
  { leaves, parts }: EmbeddedModel,
  ofLeaf: (leaf: PropertyModel, member: string) => unknown,
  ofPart: (part: EmbeddedModel, member: string) => unknown,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const leaf of leaves) {
    const member = leaf.place?.member as string;
    values[member] = ofLeaf(leaf, member);
  }
  for (const part of parts) values[part.member] = ofPart(part, part.member);
  return values;
}

/**
 * Converts plain values to an object of an embedded class; other values are returned unchanged.
 *
 * @throws SerializationError `plain.unknown-property` for a value that the class does not store
 */
export function embeddedObject(site: EmbeddedSite, given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) return given;
  const values: Record<string, unknown> = { ...given };
  const leaves = new Map(site.declaration.leaves().map(({ name, type }) => [name, type]));
  for (const [name, value] of Object.entries(values)) {
    const type = leaves.get(name);
    if (type === undefined) throw unknownMember(site, name);
    if (type.embedded !== undefined)
      values[name] = embeddedObject({ path: below(site, name), declaration: type.embedded }, value);
  }
  return buildObject(site, values);
}

const below = ({ path: { entity, property } }: EmbeddedSite, name: string): PropertyPath => ({
  entity,
  property: `${property}.${name.slice(0, 80)}`,
});

/** The error for a member that an embedded object does not store. */
export function unknownMember(site: EmbeddedSite, name: string): SerializationError {
  const path = below(site, name);
  return new SerializationError(
    "plain.unknown-property",
    `${path.entity} declares no property ${JSON.stringify(path.property)}. Leave it out, or declare it.`,
    { ...path },
  );
}
