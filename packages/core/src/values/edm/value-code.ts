/**
 * How generated code reads and writes the usual values of a type, as source text. It leaves every other value to the functions of
 * the type's serializer, so a text has to be right only about what it accepts. Names that texts use are in `names`.
 */
export interface ValueCode {
  readonly names: Readonly<Record<string, unknown>>;
  /** Whether the value is text in JSON. Code passes its first quotation mark together with the name of the property. */
  readonly isQuoted: boolean;
  /** Reading the stored value `v`, whose annotation was checked. */
  readonly fromValue: {
    /** Whether it is of the usual form. It may leave what it found in `t`. */
    readonly test: string;
    readonly value: string;
    /** What a snapshot keeps; that of `value` where it is the same. */
    readonly snapshotValue?: string;
  };
  /** Reading the value from bytes. @param id - what names of variables end with */
  fromBytes(id: string): BytesCode;
  /** Encoding the value `v` of an entity for a snapshot. */
  readonly toSnapshotValue: {
    readonly test: string;
    readonly snapshotValue: string;
    /** The same of an entity that is sent whole, where it is another one. @param path - the name of the property's path */
    readonly sent?: (path: string) => string;
    /** Its size without its name, as the service counts it. */
    readonly bytes: (value: string) => string;
  };
  /** Whether the value `v` of an entity is what the snapshot value `x` says: it may deny it of values that are. */
  readonly same?: string;
  /** Writing the snapshot value `v` as JSON into `o`, with the second quotation mark. */
  readonly toBytes: {
    readonly test: string;
    readonly put: string;
    /** Whether its type is written before it, where only some values need that. */
    readonly isTyped?: string;
  };
}

/**
 * How one value is read from bytes. In the code, `b` are the bytes, `v` a view of them, `p` the place of the value and then the one
 * after it, `t` the bytes of the row's texts and `n` how many there are.
 */
export interface BytesCode {
  /** Variables, with their first values. */
  readonly variables: readonly string[];
  /** Leaves the block `row` where the value is not of the usual form. */
  readonly code: string;
  readonly value: string;
  /** What a snapshot keeps, where it is not the value; in it, `@` is the value. */
  readonly snapshotValue?: string;
  /** More code that only snapshots need. */
  readonly keeping?: string;
}

/** Gives the row up where a reader found no usual value. */
export const giveUp = "if ((p = cursor.at) < 0) break row;";

/** A value that one call reads. */
export const readBy = (id: string, first: string, call: string): BytesCode => ({
  variables: [`x${id} = ${first}`],
  code: `x${id} = ${call}; ${giveUp}`,
  value: `x${id}`,
});
