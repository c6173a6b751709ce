import { brand } from "./brand.ts";
import { type ErrorDetails, TableError } from "./table-error.ts";

/** A row's kind does not match the given classes. Codes begin with `kind.`. */
export class KindError extends TableError {
  static {
    brand(this, "KindError");
  }

  /** No class declares this row's kind. */
  static unknown(
    row: string,
    kind: string | undefined,
    property: string,
    known: readonly string[],
    details: ErrorDetails,
  ): KindError {
    const found = kind === undefined ? `has no ${property}` : `has the kind "${kind}"`;
    return new KindError(
      "kind.unknown",
      `${row} ${found}, and no class here declares it (known: ${known.join(", ")}). Declare the kind, or set unknownKind: "skip" on the table; unreadableRows: "skip" leaves out the row for one query or context.`,
      { row, kind, known, ...details },
    );
  }

  /** The kind was declared, but the class that extends it was never passed to Partita. */
  static unseen(kind: string, base: string): KindError {
    return new KindError(
      "kind.class-unseen",
      `A row of kind "${kind}" was read through ${base}, but the class for it is not known yet. Pass it once: query([…, ${kind}]) or createTables(storage, [${base}, ${kind}]).`,
      { kind, base },
    );
  }

  /** Another kind is stored or tracked under this key. */
  static mismatch(subject: string, expected: string, found: string): KindError {
    return new KindError(
      "kind.mismatch",
      `${subject} was requested as ${expected}, but a ${found} has this key. Request its own class, or their base class.`,
      { subject, expected, found },
    );
  }
}
