import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import type { KeyOf, NewOf } from "../../model/declaration/entity-shape.ts";
import type { SaveOptions } from "../save/save-options.ts";
import type { SaveSource } from "../save/save-state.ts";
import type { HookContext } from "../unit-of-work/hooks.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ContextOptions } from "./context-options.ts";
import type { EntityReader, FindOptions, IncludedLists } from "./entity-reader.ts";

/** The public methods of a context that its parts call. A subclass may override them. */
interface OwnContext extends HookContext, AsyncDisposable {
  /** Identifies the caller's stack frames. */
  readonly modify: unknown;
  find<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOf<NoInfer<Class>>,
    options?: FindOptions & IncludedLists<never>,
  ): Promise<InstanceType<Class> | undefined>;
  create<const Class extends EntityClass>(entityClass: Class, values: NewOf<Class>): InstanceType<Class>;
  detach(entity: object): boolean;
  reload(entity: object): Promise<void>;
  discard(entity: object): void;
  update(entity: object, ...properties: never[]): void;
  saveChanges(options: SaveOptions): Promise<readonly SaveResult[]>;
  clear(options: { readonly discard: true }): void;
}

/** The parts of a context. */
export interface ContextParts extends SaveSource {
  readonly context: OwnContext;
  readonly options: ContextOptions;
  readonly reader: EntityReader;
  /** Opens another context over the same storage. */
  readonly openOther: (options: ContextOptions) => ContextParts;
}
