/**
 * Source text for generated code that reads and writes the usual values of a type. Generated code leaves every other
 * value to the serializer's functions, so a text only has to be right about the values it accepts. `names` holds the
 * names that the texts use.
 */
export interface ValueCode {
  readonly names: Readonly<Record<string, unknown>>;
  /**
   * Whether the value is text in JSON. Generated code reads its first quotation mark together with the name of the
   * property.
   */
  readonly isQuoted: boolean;
  /** Reads the stored value `v`; its annotation was already checked. */
  readonly fromValue: {
    /** Whether it is in the usual form. It may leave a result in `t`. */
    readonly test: string;
    readonly value: string;
    /** The snapshot value; the same as `value` when absent. */
    readonly snapshotValue?: string;
  };
  /** Reads the value from bytes. @param id - the suffix of variable names */
  fromBytes(id: string): BytesCode;
  /** Encodes the value `v` of an entity for a snapshot. */
  readonly toSnapshotValue: {
    readonly test: string;
    readonly snapshotValue: string;
    /**
     * The snapshot value for an entity that is sent completely, if it differs. @param path - the name of the property's
     * path
     */
    readonly sent?: (path: string) => string;
    /** Its size without the name, as the service counts it. */
    readonly bytes: (value: string) => string;
  };
  /** Whether the value `v` of an entity equals the snapshot value `x`. It may return false for equal values. */
  readonly same?: string;
  /** Writes the snapshot value `v` as JSON into `o`, with the second quotation mark. */
  readonly toBytes: {
    readonly test: string;
    readonly put: string;
    /** Whether its type is written before it, if only some values need that. */
    readonly isTyped?: string;
  };
}

/**
 * How one value is read from bytes. In the code, `b` are the bytes, `v` a view of them, `p` the position of the value
 * and later of the byte after it, `t` the bytes of the row's texts, and `n` the number of those bytes.
 */
export interface BytesCode {
  /** Variables, with their initial values. */
  readonly variables: readonly string[];
  /** Leaves the block `row` if the value is not in the usual form. */
  readonly code: string;
  readonly value: string;
  /** The snapshot value, if it is not the value itself; `@` in it is the value. */
  readonly snapshotValue?: string;
  /** Additional code that only snapshots need. */
  readonly keeping?: string;
}

/** Leaves the row if a reader found no usual value. */
export const giveUp = "if ((p = cursor.at) < 0) break row;";

/** A value that one call reads. */
export const readBy = (id: string, first: string, call: string): BytesCode => ({
  variables: [`x${id} = ${first}`],
  code: `x${id} = ${call}; ${giveUp}`,
  value: `x${id}`,
});
