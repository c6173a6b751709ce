import { textOf } from "../../../values/edm/json-bytes.ts";
import type { EntityKey, StoredEntity } from "../../../values/edm/stored-entity.ts";
import type { EntityModel } from "../../declaration/entity-model.ts";
import type { RowBody } from "../../../storage/row-reader.ts";
import { keyOfStored, rowOfParts } from "../row-layout.ts";
import type { Snapshot } from "../snapshot.ts";

/** Where a row was read. */
export interface RowSource {
  /** The row at this position as a stored entity. */
  parse(at: number): StoredEntity;
}

/** Marks scanned rows: a stored entity may have a member of any name, but no symbol. */
const scanned = Symbol("scanned row");

/** An entity that was read from the bytes of its row without parsing them. */
export class ScannedRow {
  static {
    Object.defineProperty(this.prototype, scanned, { value: true });
  }

  readonly model: EntityModel;
  readonly partitionKey: string;
  /** Its RowKey where it was read. */
  readonly foundKey: string;
  readonly etag: string | undefined;
  readonly entity: object;
  /** Undefined where it is not to be tracked. */
  readonly snapshot: Snapshot | undefined;
  readonly source: RowSource | RowBody;
  /** Its position in the source. */
  readonly at: number;

  // oxlint-disable-next-line max-params -- the compiled code hands over what it has found, at no cost
  constructor(
    model: EntityModel,
    partitionKey: string,
    foundKey: string,
    etag: string | undefined,
    entity: object,
    snapshot: Snapshot | undefined,
    source: RowSource | RowBody,
    at: number,
  ) {
    this.model = model;
    this.partitionKey = partitionKey;
    this.foundKey = foundKey;
    this.etag = etag;
    this.entity = entity;
    this.snapshot = snapshot;
    this.source = source;
    this.at = at;
  }

  /** Whether a row was scanned, by this copy of the package. */
  static is(row: object): row is ScannedRow {
    return (row as { readonly [scanned]?: true })[scanned] === true;
  }

  get scanned(): this {
    return this;
  }

  /** The RowKey of the entity's own row. */
  get rowKey(): string {
    return this.foundKey;
  }

  /** The stored entity, parsed for the few callers that need it. */
  get row(): StoredEntity {
    const { source } = this;
    if ("parse" in source) return source.parse(this.at);
    return rowOfParts(JSON.parse(textOf(source.bytes)), source);
  }
}

/** A row as `rowReaderFor` reads it, or parsed. */
export type FoundRow = ScannedRow | StoredEntity;

/** The key that a row is stored under. */
export const keyOfFound = (row: FoundRow): EntityKey =>
  ScannedRow.is(row) ? { partitionKey: row.partitionKey, rowKey: row.foundKey } : keyOfStored(row);
