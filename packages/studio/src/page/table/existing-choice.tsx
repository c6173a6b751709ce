import type { JSX } from "preact";
import type { Existing } from "../../api/transfers.ts";

const choices: readonly (readonly [Existing, string])[] = [
  ["refuse", "write nothing if the table has rows"],
  ["replace", "replace rows with the same keys"],
  ["merge", "change only the properties of the file"],
  ["skip", "leave rows with the same keys unchanged"],
];

interface ExistingProps {
  readonly id: string;
  readonly value: Existing;
  readonly onChange: (value: Existing) => void;
}

/** The treatment of rows that the target already has. */
export const ExistingChoice = ({ id, value, onChange }: ExistingProps): JSX.Element => (
  <p class="choice">
    <label for={id}>Existing rows</label>
    <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Existing)}>
      {choices.map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </select>
  </p>
);
