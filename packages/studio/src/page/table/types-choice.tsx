import type { JSX } from "preact";
import type { UntypedColumns } from "../../api/transfers.ts";

interface TypesProps {
  readonly value: UntypedColumns;
  readonly onChange: (value: UntypedColumns) => void;
}

/** The types of CSV columns without types. */
export const TypesChoice = ({ value, onChange }: TypesProps): JSX.Element => (
  <p class="choice">
    <label for="import-types">Columns without types</label>
    <select
      id="import-types"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as UntypedColumns)}
    >
      <option value="infer">have the types of their values</option>
      <option value="text">are text</option>
    </select>
  </p>
);
