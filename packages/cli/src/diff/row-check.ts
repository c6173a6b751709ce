import type { EntityClass, TableContext, TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { annotationOf, edmTypeOf, isSystemName } from "@partita/core/protocol";
import { forwardStorage } from "@partita/core/internal";
import type { Core } from "../modules/load-core.ts";

/** A difference between a row and its class. */
export interface Difference {
  /** Equal for rows with the same difference. */
  readonly id: string;
  readonly code: string;
  /** The difference in words, without property values. */
  readonly message: string;
}

/** Reads the rows of one table with its classes, one at a time. */
export class RowCheck {
  readonly #core: Core;
  readonly #classes: readonly EntityClass[];
  readonly #storage: TableStorage;
  /** The row that the storage returns. */
  #row: StoredEntity | undefined;

  constructor(core: Core, classes: readonly EntityClass[], storage: TableStorage) {
    this.#core = core;
    this.#classes = classes;
    const response = (): Promise<{ entities: StoredEntity[] }> =>
      Promise.resolve({ entities: this.#row === undefined ? [] : [this.#row] });
    this.#storage = forwardStorage(storage, { query: response });
  }

  /** The differences of a row from its class. Empty if there are none. */
  async differencesOf(row: StoredEntity): Promise<readonly Difference[]> {
    this.#row = row;
    const context = new this.#core.TableContext(this.#storage);
    try {
      const entity = await firstOf(context, this.#classes);
      return entity === undefined ? [ofNoClass] : this.#undeclared(entity, row);
    } catch (error) {
      return [differenceOf(error)];
    }
  }

  #undeclared(entity: object, row: StoredEntity): Difference[] {
    const model = this.#core.modelOf(entity.constructor as EntityClass);
    const { version, options, properties } = model;
    // Upgrade steps describe the rows of older versions.
    if (version !== undefined && row[version.storedName] !== version.number) return [];
    const declared = new Set(properties.map(({ storedName }) => storedName));
    const known = (name: string): boolean =>
      isSystemName(name) ||
      declared.has(name) ||
      name === options.kindProperty ||
      name === version?.storedName;
    return Object.keys(row)
      .filter((name) => !known(name))
      .map((name) => undeclared(model.name, name, row));
  }
}

async function firstOf(context: TableContext, classes: readonly EntityClass[]): Promise<object | undefined> {
  const query = context.query(classes as readonly [EntityClass, ...EntityClass[]]);
  const [entity] = await query.scan().mergeOption("noTracking").toArray();
  return entity;
}

const ofNoClass: Difference = {
  id: "no class",
  code: "diff.no-class",
  message: "No class of the module fits these rows.",
};

function undeclared(entity: string, name: string, row: StoredEntity): Difference {
  const edm = edmTypeOf(row[name] as string, row[annotationOf(name)]);
  return {
    id: `undeclared ${entity} ${name}`,
    code: "diff.undeclared",
    message: `${entity} does not declare ${JSON.stringify(name)}, which is stored as ${edm}. Saves of other properties don't change it.`,
  };
}

/**
 * Converts an error of reading. Rows with the same class, property and stored type have the same difference.
 */
function differenceOf(error: unknown): Difference {
  const { code, details, message } = error as Error & {
    readonly code?: unknown;
    readonly details?: { readonly entity?: unknown; readonly property?: unknown; readonly stored?: unknown };
  };
  // An error without a code is not about a row.
  if (typeof code !== "string") throw error;
  return { id: [code, details?.entity, details?.property, details?.stored].join(" "), code, message };
}
