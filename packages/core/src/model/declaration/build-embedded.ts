// `build-model.ts` calls this file. It replaces each embedded object of a definition with its leaves, which are stored
// properties like any other, with a path inside the entity.

import { presenceSerializer } from "../../values/edm/presence.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { isReserved } from "./check-names.ts";
import { noClass } from "./embedded.ts";
import { buildObject } from "./embedded-object.ts";
import type { PropertyDefinition } from "./entity-definition.ts";
import { type EmbeddedModel, type EmbeddedPlace, type PropertyModel, rootOf } from "./entity-model.ts";
import type { AnyPropertyType, EmbeddedDeclaration } from "./property-type.ts";

/** A stored property, with the position of its value if it is a leaf of an embedded object. */
export interface PlacedDefinition extends PropertyDefinition {
  readonly place?: EmbeddedPlace;
}

/** A model of an embedded object while its properties are being built. */
type Draft = { -readonly [Name in keyof EmbeddedModel]: EmbeddedModel[Name] } & {
  leaves: PropertyModel[];
  parts: EmbeddedModel[];
};

/** The stored properties of a class, with the leaves of embedded objects instead of the objects. */
export const placedProperties = (
  entity: string,
  properties: readonly PropertyDefinition[],
): readonly PlacedDefinition[] =>
  properties.flatMap((property) =>
    property.type.embedded === undefined
      ? [property]
      : placed(entity, property, property.type.embedded, undefined),
  );

function placed(
  entity: string,
  { name, type }: PropertyDefinition,
  embedded: EmbeddedDeclaration,
  parent: Draft | undefined,
): PlacedDefinition[] {
  const path = parent === undefined ? name : `${parent.name}.${name}`;
  const storedName = type.storedName ?? (parent === undefined ? name : `${parent.storedName}_${name}`);
  const embeddedClass = embedded.class();
  if (typeof embeddedClass !== "function") throw noClass(embeddedClass);
  const className = embeddedClass.name;
  for (let above = parent; above !== undefined; above = above.parent as Draft | undefined)
    if (above.declaration.class() === embeddedClass)
      throw refused(
        entity,
        path,
        `contains ${className} inside ${className} without end. For a tree, use json(), or children`,
      );
  const of: Draft = {
    name: path,
    path: { entity, property: path },
    storedName,
    member: name,
    declaration: embedded,
    parent,
    isRequired: type.presence !== "optional",
    leaves: [],
    parts: [],
    marker: undefined,
  };
  parent?.parts.push(of);
  // A class that cannot be built is refused before anything is read.
  const built = embedded.create === undefined ? buildObject(of, {}) : {};
  const leaves = embedded.leaves();
  if (leaves.length === 0)
    throw refused(entity, path, `stores nothing: ${className} declares no stored properties`);
  const inner = leaves.flatMap((leaf): PlacedDefinition[] => {
    checkLeaf(entity, `${path}.${leaf.name}`, leaf, built);
    if (leaf.type.embedded !== undefined) return placed(entity, leaf, leaf.type.embedded, of);
    return [
      {
        name: `${path}.${leaf.name}`,
        type: leaf.type.named((leaf.type.storedName ?? `${storedName}_${leaf.name}`) as never),
        place: { of, member: leaf.name },
      },
    ];
  });
  const isShown = leaves.some(({ type: { presence } }) => presence !== "optional");
  return isShown
    ? inner
    : [...inner, { name: path, type: markerOf(type, storedName, leaves), place: { of } }];
}

/** The column that shows an object if none of its leaves has a value. */
const markerOf = (
  type: AnyPropertyType,
  storedName: string,
  leaves: readonly PropertyDefinition[],
): AnyPropertyType => ({
  ...type,
  storedName,
  serializer: presenceSerializer(
    leaves.map(({ name, type: { serializer } }) => ({ name, isJson: serializer.isJson === true })),
  ),
});

/** @param built - an object without values */
function checkLeaf(entity: string, path: string, { name, type }: PropertyDefinition, built: object): void {
  if (hasGetterAlone(built, name))
    throw refused(
      entity,
      path,
      "has a getter without a setter, so objects could not be read. Give embedded(…) a create function, or leave the property out",
    );
  if (name === "exists")
    throw refused(
      entity,
      path,
      "has the name of a condition of embedded objects. Rename it, and keep its stored name",
    );
  if (isReserved(name) || name.includes("."))
    throw refused(
      entity,
      path,
      "has a name that every object has, or a name with a dot, which separates names here. Rename it, and keep its stored name",
    );
  if (type.presence === "default")
    throw refused(
      entity,
      path,
      "has a constant default, which a row without the object could not have. Write default(() => value), or assign it in the class",
    );
  if (type.saveFill !== undefined)
    throw refused(entity, path, "is assigned by saves. Declare it as a property of the entity itself");
}

function hasGetterAlone(object: object, name: string): boolean {
  const found = Object.getOwnPropertyDescriptor(object, name);
  if (found !== undefined) return found.get !== undefined && found.set === undefined;
  const base = Object.getPrototypeOf(object) as object | null;
  return base !== null && hasGetterAlone(base, name);
}

const refused = (entity: string, property: string, problem: string): ModelError =>
  new ModelError("model.property-type", `${entity}.${property} ${problem}.`, { entity, property });

/** Adds the models of leaves to those of the objects that hold them. Returns the outermost objects. */
export function linkLeaves(properties: readonly PropertyModel[]): readonly EmbeddedModel[] {
  const outermost = new Set<EmbeddedModel>();
  for (const property of properties) {
    if (property.place === undefined) continue;
    const of = property.place.of as Draft;
    if (property.place.member === undefined) of.marker = property;
    else of.leaves.push(property);
    outermost.add(rootOf(of));
  }
  return [...outermost];
}
