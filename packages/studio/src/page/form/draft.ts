import type { Cell, CellChange, CellType, CellValue } from "../../api/cells.ts";
import type { Field } from "../../api/tables.ts";
import { cellText, hasMixedLineEnds, parseCell } from "../text/cell-text.ts";

/** A field of a form while the user edits it. */
export interface DraftField {
  readonly name: string;
  readonly type: CellType;
  /** The previous value. Undefined if there was none. */
  readonly before: CellValue | undefined;
  readonly beforeType: CellType;
  /** The current text. Undefined if it has no value. */
  readonly text: string | undefined;
  readonly isKey: boolean;
  readonly isRequired: boolean;
  /** The values of an enum. */
  readonly values?: readonly string[] | undefined;
}

/** The fields of a row's form: those of its class, and other properties of the row. */
export function draftOf(cells: readonly Cell[], fields: readonly Field[]): readonly DraftField[] {
  const values = new Map(cells.map((cell) => [cell[0], cell]));
  const declared = fields.map(({ name, type, key, isRequired, values: choices }) => {
    const value = values.get(name)?.[2];
    return draftField(name, type, value, { isKey: key !== undefined, isRequired, values: choices });
  });
  const names = new Set(fields.map(({ name }) => name));
  const others = cells
    .filter(([name]) => !names.has(name))
    .map(([name, type, value]) => draftField(name, type, value, { isKey: false, isRequired: false }));
  return [...declared, ...others];
}

/** A field with or without a value. */
export const draftField = (
  name: string,
  type: CellType,
  value: CellValue | undefined,
  about: Pick<DraftField, "isKey" | "isRequired" | "values">,
): DraftField => ({
  name,
  type,
  before: value,
  beforeType: type,
  text: value === undefined ? undefined : cellText(value, type),
  ...about,
});

/** Whether the user changed a field. An input converts line ends to line feeds, which is not a change. */
export function isChanged({ before, beforeType, type, text }: DraftField): boolean {
  if (before === undefined || text === undefined) return (before === undefined) !== (text === undefined);
  return type !== beforeType || shown(text) !== shown(cellText(before, beforeType));
}

/** Fields with texts that do not fit their types. */
export class DraftError extends Error {
  /** A message for each wrong field. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(fields: ReadonlyMap<string, string>) {
    super([...fields].map(([name, message]) => `${name}: ${message}`).join(" "));
    this.fields = fields;
  }

  static is(value: unknown): value is DraftError {
    return (value as Partial<DraftError> | null | undefined)?.fields !== undefined;
  }
}

/**
 * The changes of a form's fields to store.
 *
 * @param isNew - all fields with a value are stored
 * @throws DraftError with a message for each wrong field
 */
export function changesOf(draft: readonly DraftField[], isNew = false): CellChange[] {
  const errors = new Map<string, string>();
  const changes = draft
    .filter((field) => (isNew ? field.text !== undefined : isChanged(field)))
    .flatMap(({ name, type, text, before, beforeType }): CellChange[] => {
      if (text === undefined) return [{ name, type, value: null }];
      try {
        const old = before === undefined ? "" : cellText(before, beforeType);
        return [{ name, type, value: parseCell(text, type, old) }];
      } catch (error) {
        errors.set(name, (error as Error).message);
        return [];
      }
    });
  if (errors.size > 0) throw new DraftError(errors);
  return changes;
}

/** A warning before the user edits a field. Undefined if there is none. */
export const warningOf = ({ type, before }: DraftField): string | undefined =>
  type === "String" && typeof before === "string" && hasMixedLineEnds(before)
    ? "It has mixed line ends. An edit converts all of them to line feeds."
    : undefined;

const shown = (text: string): string => text.replace(/\r\n?/g, "\n");
