import {
  type EntityClass,
  type EntityKey,
  KeyError,
  KindError,
  ModelError,
  QueryError,
  SerializationError,
} from "@partita/core";
import {
  beginsWith,
  isEntityRow,
  kindChooser,
  loadCrypto,
  type RowReader,
  rowProperty,
} from "@partita/core/internal";
import {
  type FoundRow,
  type IndexOfClass,
  isOfKind,
  isOfKindInIndex,
  isReservationRow,
  type KindChooser,
  nearestName,
  ownerOf,
  reservationType,
  rowReaderFor,
  ScannedRow,
  type StoredIndexRow,
  storedIndexRows,
  storedKind,
} from "@partita/core/internal/jobs";
import type { EntityModel, IndexState } from "@partita/core/models";
import type { FilterNode, StoredEntity } from "@partita/core/storage";

/** The declared state of an index; `recorded` if its state is recorded in storage. */
export type DeclaredState = IndexState | "recorded";

const declaredState = ({ model, index }: IndexOfClass): DeclaredState =>
  index.state ?? (model.options.indexStates === "recorded" ? "recorded" : "ready");

/** The indexes of a job: the rows that they should have, and which stored rows belong to them. */
export class IndexTarget {
  readonly #chooser: KindChooser;
  readonly #indexes: readonly IndexOfClass[];
  readonly #names: ReadonlySet<string>;

  /**
   * @param name - of one index, which may occur in several kinds of a base class; undefined for all that are not
   *   retired
   * @throws QueryError `query.unknown-index`; ModelError
   */
  constructor(classes: EntityClass | readonly EntityClass[], name: string | undefined) {
    this.#chooser = kindChooser(typeof classes === "function" ? [classes] : classes);
    const models = this.#models();
    const all = models.flatMap((model) => model.indexes.map((index) => ({ model, index })));
    this.#indexes = all.filter(({ index }) =>
      name === undefined ? index.state !== "retired" : index.name === name,
    );
    this.#names = new Set(this.#indexes.map(({ index }) => index.name));
    if (this.#indexes.length === 0) throw unknownIndex(this.entity, name, all);
  }

  get table(): string {
    return this.#chooser.table;
  }

  /** The requested classes, for messages. */
  get entity(): string {
    return this.#chooser.models.map(({ name }) => name).join(" | ");
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  /** Whether one of the indexes is unique over the table. */
  get isOverTable(): boolean {
    return this.#indexes.some(({ index }) => index.isOverTable);
  }

  /** The properties in the key of a unique index. */
  propertiesOf(index: string): readonly string[] {
    const found = this.#indexes.find((each) => each.index.name === index);
    return (found?.index.rowKey.parts ?? []).flatMap(({ property, format }) =>
      property === undefined || format.literal !== undefined ? [] : [property],
    );
  }

  /** The indexes, with the classes that have them. */
  get indexes(): readonly IndexOfClass[] {
    return this.#indexes;
  }

  /** @throws ModelError `model.index-state` if an index has a state in which the work is not possible */
  checkState(states: readonly DeclaredState[], work: string, remedy: string): void {
    const other = this.#indexes.find((each) => !states.includes(declaredState(each)));
    if (other === undefined) return;
    const { model, index } = other;
    const state = declaredState(other);
    throw new ModelError(
      "model.index-state",
      `The index ${index.name} of ${model.name} is ${state === "recorded" ? "in use" : `declared as ${state}`}, but ${work}. ${remedy}`,
      { entity: model.name, index: index.name, state },
    );
  }

  /** @throws ModelError `model.index-state` if the RowKeys of another index have the same prefix */
  checkAlone(): void {
    for (const model of this.#models())
      for (const index of model.indexes)
        for (const own of this.#indexes)
          if (index.state !== "retired" && overlaps(index.prefix, own.index.prefix))
            throw new ModelError(
              "model.index-state",
              `The index ${own.index.name} of ${own.model.name} is retired, but ${index.name} of ${model.name} is in use and its rows have the same prefix. Retire both, or drop neither.`,
              { entity: model.name, index: index.name },
            );
  }

  /** The class of an entity's row; undefined for index rows and for kinds that were not requested. */
  modelOf(row: FoundRow): EntityModel | undefined {
    if (ScannedRow.is(row)) return row.model;
    try {
      return this.#chooser.choose(row);
    } catch (error) {
      if (KindError.is(error)) return undefined;
      throw error;
    }
  }

  /**
   * Whether an entity is of a kind that was not requested, or is read as its base class because no class declares its
   * kind.
   */
  isOfOtherKind(row: StoredEntity): boolean {
    if (!isEntityRow(row)) return false;
    const model = this.modelOf(row);
    if (model === undefined) return true;
    return (
      model.kind === undefined &&
      (this.#chooser.kinds.length > 0 || storedKind(model.options, row) !== undefined)
    );
  }

  /**
   * The index rows that an entity's row requires.
   *
   * @throws SerializationError, KeyError or UpgradeError for a row that does not match its class
   */
  rowsOf(model: EntityModel, row: FoundRow): StoredIndexRow[] {
    return storedIndexRows(model, row, ({ name }) => this.#names.has(name));
  }

  /** Reads entities of these classes from the bytes of their rows; all other rows are parsed. */
  reader(): RowReader | undefined {
    return rowReaderFor(this.#chooser, true);
  }

  /** Whether a row is a reservation of a value in one of these indexes. */
  hasReservation(row: StoredEntity): boolean {
    return isReservationRow(row) && this.names.some((name) => row[rowProperty] === reservationType(name));
  }

  /** The index that a row belongs to by its key and kind; undefined for all others. */
  indexOf(row: StoredEntity): IndexOfClass | undefined {
    if (isReservationRow(row)) return undefined;
    const found = this.#indexes.filter(
      (each) => row.RowKey.startsWith(each.index.prefix) && mayHave(each, row),
    );
    return found.length < 2 ? found[0] : (found.find((each) => ownerIn(each, row) !== undefined) ?? found[0]);
  }

  /** The key of the entity that an index row belongs to; undefined if it cannot be read. */
  ownerOf(row: StoredEntity): EntityKey | undefined {
    const found = this.indexOf(row);
    return found && ownerIn(found, row);
  }

  /** The filter for the rows of these indexes. */
  filter(): FilterNode {
    const prefixes = [...new Set(this.#indexes.map(({ index }) => index.prefix))];
    const nodes = prefixes.map((prefix) => beginsWith("RowKey", prefix));
    return nodes.length === 1 ? (nodes[0] as FilterNode) : { op: "or", nodes };
  }

  /** The name of a job for these indexes. If an index is declared differently, it is another job. */
  jobName(work: string): string {
    const declared = this.#indexes.map(({ model, index }) => [model.kind?.name, index.definition]);
    const hash = loadCrypto().createHash("sha256").update(JSON.stringify(declared)).digest("hex");
    return `${this.table.toLowerCase()}: index ${this.names.join(", ").slice(0, 40)} ${work} ${hash.slice(0, 16)}`;
  }

  #models(): readonly EntityModel[] {
    const { models, kinds } = this.#chooser;
    return [...new Set([...models, ...kinds])];
  }
}

const overlaps = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

/** RowKeys of classes that were not requested may have the prefix of an index, but their kinds differ. */
function mayHave({ model, index }: IndexOfClass, row: StoredEntity): boolean {
  const isWithoutKind = storedKind(model.options, row) === undefined;
  return (
    model.kind?.isStored !== true || isWithoutKind || isOfKindInIndex(index, row) || isOfKind(model, row)
  );
}

function ownerIn({ model, index }: IndexOfClass, row: StoredEntity): EntityKey | undefined {
  try {
    return ownerOf(model, index, row);
  } catch (error) {
    if (KeyError.is(error) || SerializationError.is(error)) return undefined;
    throw error;
  }
}

function unknownIndex(entity: string, name: string | undefined, all: readonly IndexOfClass[]): QueryError {
  const known = [...new Set(all.map(({ index }) => index.name))];
  const meant = name === undefined ? undefined : nearestName(name, known);
  const problem = name === undefined ? "has no index that is in use" : `has no index ${name}`;
  const others = known.length === 0 ? "It declares none." : `Known: ${known.join(", ")}.`;
  return new QueryError(
    "query.unknown-index",
    `${entity} ${problem}.${meant === undefined ? "" : ` Did you mean ${meant}?`} ${others}`,
    { entity, ...(name !== undefined && { index: name }) },
  );
}
