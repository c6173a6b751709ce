import type { JSX } from "preact";
import type { CellValue } from "../../api/cells.ts";
import type { Conflict, ConflictProperty, StagedChange } from "../../api/staged.ts";
import { useStudio } from "../state/studio-context.ts";
import { useKept } from "../state/use-kept.ts";
import { cellLine } from "../text/cell-text.ts";
import { printable } from "../text/printable.ts";

type Side = "mine" | "theirs";

interface ConflictProps {
  readonly id: string;
  readonly state: StagedChange["state"];
  readonly conflict: Conflict;
}

const reasons: Readonly<Record<Conflict["reason"], string>> = {
  etag: "Another writer changed this row. Choose a value for each property that both sides changed.",
  missing: "Another writer deleted this row. Yours stores it again; theirs discards your change.",
  exists: "A row with this key was stored meanwhile. Choose which values to keep.",
};

/** Both sides of a conflict, with a choice for each property that both changed. */
export function ConflictView({ id, state, conflict }: ConflictProps): JSX.Element {
  const studio = useStudio();
  const { reason, theirEtag, properties } = conflict;
  const [choices, setChoices] = useKept<readonly (readonly [string, Side])[]>(`${id} ${theirEtag}`, []);
  const chosen = new Map(choices);
  const byProperty = reason === "etag" && state === "modified";
  const open = properties.filter(({ needsChoice, name }) => needsChoice && !chosen.has(name));
  const resolve = (choice: Side | Readonly<Record<string, Side>>): Promise<boolean> =>
    studio.attemptOnce(async () => {
      studio.staged.value = await studio.api.resolve({ id, theirEtag, choice });
      const again = studio.staged.value.find((each) => each.id === id)?.conflict;
      if (again === undefined) studio.say("The conflict is resolved. Save to store it.");
      else studio.fail("The row was changed again. Check the values again.");
    });
  return (
    <div class="conflict">
      <p>{reasons[reason]}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">As read</th>
            <th scope="col">Mine</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        <tbody>
          {properties.map((property) => (
            <PropertyLine
              key={property.name}
              property={property}
              side={byProperty ? chosen.get(property.name) : undefined}
              onChoose={byProperty ? (side) => setChoices([...chosen.set(property.name, side)]) : undefined}
            />
          ))}
        </tbody>
      </table>
      <div class="conflict-actions">
        {byProperty && (
          <button
            type="button"
            class="primary"
            disabled={open.length > 0}
            onClick={() => void resolve(Object.fromEntries(chosen))}
          >
            Resolve
          </button>
        )}
        <button type="button" onClick={() => void resolve("mine")}>
          All mine
        </button>
        <button type="button" onClick={() => void resolve("theirs")}>
          All theirs
        </button>
      </div>
    </div>
  );
}

interface PropertyLineProps {
  readonly property: ConflictProperty;
  readonly side: Side | undefined;
  readonly onChoose: ((side: Side) => void) | undefined;
}

function PropertyLine({ property, side, onChoose }: PropertyLineProps): JSX.Element {
  const { name, base, needsChoice } = property;
  const choice = needsChoice ? onChoose : undefined;
  return (
    <tr data-open={needsChoice}>
      <th scope="row">{printable(name)}</th>
      <td>{shown(base)}</td>
      {(["mine", "theirs"] as const).map((each) => (
        <td key={each} data-chosen={side === each} data-same={shown(property[each]) === shown(base)}>
          {choice === undefined ? (
            shown(property[each])
          ) : (
            <label>
              <input
                type="radio"
                name={`choice-${name}`}
                aria-label={`${name}: ${each}`}
                checked={side === each}
                onChange={() => choice(each)}
              />
              {shown(property[each])}
            </label>
          )}
        </td>
      ))}
    </tr>
  );
}

const shown = (value: CellValue | undefined): string =>
  value === undefined ? "–" : printable(cellLine(value));
