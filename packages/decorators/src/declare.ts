import { type EntityClass, type EntityDefinition, ModelError, registerEntity } from "@partita/core/models";
import type { Declarations } from "./declarations.ts";
import { definitionOf } from "./definition.ts";
import { metadataKey } from "./symbol-metadata.ts";

/** The members of a standard decorator's context that this package uses. */
interface StandardContext {
  readonly kind: string;
  readonly name: string | symbol | undefined;
  readonly static?: boolean;
  readonly private?: boolean;
  readonly metadata?: object;
}

/**
 * The key of the declarations: on the class itself with legacy decorators, on its metadata object with
 * standard decorators. The symbol is registered, so another copy of this package adds to the same
 * declarations.
 */
const declarationsKey = Symbol.for("partita.declarations@1");

const ownDeclarations = (owner: object): Declarations | undefined =>
  Object.hasOwn(owner, declarationsKey)
    ? (owner as { readonly [declarationsKey]?: Declarations })[declarationsKey]
    : undefined;

/**
 * Records the declaration of a field decorator. The second argument shows the dialect: a standard context has
 * a `kind`.
 *
 * @returns nothing; typed as `never` because the return type of a field decorator serves type checks only,
 * see `FieldDecorator`
 * @throws ModelError if the decorator is not on a public instance field
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
  // Without parentheses, the decorator itself is called with the arguments of a field.
  if (context === undefined && typeof target !== "function") throw withoutParentheses();
  if (context === undefined) throw notAField(`class ${(target as { name?: string }).name ?? ""}`);
  if (typeof target !== "object" || target === null || typeof context !== "string")
    throw notAField(String(context as PropertyKey));
  if (isMethodOrAccessor(target, context)) throw notAField(context);
  declare(context, recordOf(target.constructor), { target });
  return undefined as never;
}

/** The target of a legacy decorator, for reading `design:type`. Undefined with standard decorators. */
export interface FieldSite {
  readonly target: object | undefined;
}

/** Records the declaration of a class decorator and registers the class as an entity. */
export function declareClass(
  target: EntityClass,
  context: unknown,
  declare: (declarations: Declarations) => void,
): void {
  if (typeof target !== "function")
    throw new ModelError(
      "model.not-a-class",
      "@Table, @Kind, @Version and @Index belong on a class, not on its members. Move the decorator.",
    );
  declare(recordOf(isStandard(context) ? metadataOf(context) : target));
  registerEntity(target, (entityClass) => definitionOf(entityClass, declarationsOf));
}

/** The declarations of a class and its ancestors for the members of an embedded object. */
export const membersOf = (of: EntityClass): Pick<EntityDefinition, "properties" | "notStored"> =>
  typeof of === "function" ? definitionOf(of, declarationsOf) : { properties: [] };

/** The declarations of exactly this class. Undefined if it has none. */
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
    "This compiler passes no metadata object to standard decorators. Import @partita/decorators before any decorated class, and use a compiler that supports decorator metadata (TypeScript 5.2 or later).",
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
    "A decorator of this class lacks its parentheses. Write @Text(), @RowKey() and so on.",
  );

function notAField(name: string): ModelError {
  return new ModelError(
    "model.not-a-field",
    `${name} is decorated as a stored property, but it is not a public instance field. Decorate a field. Methods, accessors, static and private members are not stored.`,
    { property: name },
  );
}
