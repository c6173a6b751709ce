import { type EntityClass, type EntityDefinition, ModelError, registerEntity } from "@partita/core/models";
import type { Declarations } from "./declarations.ts";
import { definitionOf } from "./definition.ts";
import { metadataKey } from "./symbol-metadata.ts";

/** The part of a standard decorator's context that is used here. */
interface StandardContext {
  readonly kind: string;
  readonly name: string | symbol | undefined;
  readonly static?: boolean;
  readonly private?: boolean;
  readonly metadata?: object;
}

/**
 * Where declarations are: on the class itself under legacy decorators, on its metadata object under standard ones. Decorators
 * of another copy of this package add to them.
 */
const declarationsKey = Symbol.for("partita.declarations@1");

const ownDeclarations = (owner: object): Declarations | undefined =>
  Object.hasOwn(owner, declarationsKey)
    ? (owner as { readonly [declarationsKey]?: Declarations })[declarationsKey]
    : undefined;

/**
 * Records what a field decorator says. The second argument shows the dialect: a standard context has a `kind`.
 *
 * @returns nothing; typed as `never`, since what a field decorator returns is a matter of types alone, see `FieldDecorator`
 * @throws ModelError when the decorator stands on something that is not a public instance field
 */
export function declareField(
  target: unknown,
  context: unknown,
  declare: (property: string, declarations: Declarations, site: FieldSite) => void,
): never {
  if (isStandard(context)) {
    if (context.kind === "class") throw notAField(`class ${String(context.name)}`);
    if (context.kind !== "field") throw notAField(String(context.name));
    if (context.static === true || context.private === true || typeof context.name !== "string")
      throw notAField(String(context.name));
    declare(context.name, recordOf(metadataOf(context)), { target: undefined });
    return undefined as never;
  }
  // Without parentheses, the decorator itself takes the place of the field's first value.
  if (context === undefined && typeof target !== "function") throw withoutParentheses();
  if (context === undefined) throw notAField(`class ${(target as { name?: string }).name ?? ""}`);
  if (typeof target !== "object" || target === null || typeof context !== "string")
    throw notAField(String(context as PropertyKey));
  if (isMethodOrAccessor(target, context)) throw notAField(context);
  declare(context, recordOf(target.constructor), { target });
  return undefined as never;
}

/** Where a legacy decorator stands, for reading `design:type`; nothing under standard decorators. */
export interface FieldSite {
  readonly target: object | undefined;
}

/** Records what a class decorator says, and makes the class an entity. */
export function declareClass(
  target: EntityClass,
  context: unknown,
  declare: (declarations: Declarations) => void,
): void {
  if (typeof target !== "function")
    throw new ModelError(
      "model.not-a-class",
      "@Table, @Kind, @Version and @Index stand above a class, not on its members. Move the decorator.",
    );
  declare(recordOf(isStandard(context) ? metadataOf(context) : target));
  registerEntity(target, (entityClass) => definitionOf(entityClass, declarationsOf));
}

/** What the decorators of a class and its ancestors say of the members of an embedded object. */
export const membersOf = (of: EntityClass): Pick<EntityDefinition, "properties" | "notStored"> =>
  typeof of === "function" ? definitionOf(of, declarationsOf) : { properties: [] };

/** What the decorators of exactly this class said; undefined when it has none. */
function declarationsOf(entityClass: object): Declarations | undefined {
  const metadata = Object.hasOwn(entityClass, metadataKey)
    ? (entityClass as { readonly [key: symbol]: object | undefined })[metadataKey]
    : undefined;
  return ownDeclarations(entityClass) ?? (metadata && ownDeclarations(metadata));
}

function recordOf(owner: object): Declarations {
  const known = ownDeclarations(owner);
  if (known !== undefined) return known;
  const record: Declarations = {
    partitionKey: [],
    rowKey: [],
    properties: new Map(),
    children: [],
    indexes: [],
    notStored: [],
  };
  Object.defineProperty(owner, declarationsKey, { value: record, configurable: true });
  return record;
}

const isStandard = (context: unknown): context is StandardContext =>
  typeof context === "object" && context !== null && "kind" in context;

function metadataOf(context: StandardContext): object {
  if (context.metadata !== undefined) return context.metadata;
  throw new ModelError(
    "model.no-metadata",
    "This compiler gives standard decorators no metadata object. Import @partita/decorators before any decorated class, and use a compiler that supports decorator metadata (TypeScript 5.2 or later).",
  );
}

function isMethodOrAccessor(prototype: object, name: string): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  return (
    descriptor !== undefined &&
    (typeof descriptor.value === "function" || descriptor.get !== undefined || descriptor.set !== undefined)
  );
}

const withoutParentheses = (): ModelError =>
  new ModelError(
    "model.decorator",
    "A decorator of this class is written without its parentheses: write @Text(), @RowKey() and so on.",
  );

function notAField(name: string): ModelError {
  return new ModelError(
    "model.not-a-field",
    `${name} is decorated as a stored property, but it is not a public instance field. Decorate a field; methods, accessors, static and private members are not stored.`,
    { property: name },
  );
}
