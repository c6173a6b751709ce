import type { JSX } from "preact";
import type { Plan } from "../../api/queries.ts";
import type { Field } from "../../api/tables.ts";
import { useStudio } from "../state/studio-context.ts";

/** The conditions of a query, and its plan before it runs. */
export function QueryBar(): JSX.Element {
  const studio = useStudio();
  const { fields = [] } = studio.classInfo.value ?? {};
  return (
    <form
      class="query-bar"
      onSubmit={(event) => {
        event.preventDefault();
        studio.run();
      }}
    >
      <div class="query-line">
        <label for="query" class="from">
          {studio.className.value ?? studio.table.value} <span>where</span>
        </label>
        <input
          id="query"
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={exampleOf(fields)}
          value={studio.text.value}
          onInput={({ currentTarget }) => studio.setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
        <kbd title="Press / to write a query">/</kbd>
        <button type="submit" class="primary">
          Run
        </button>
      </div>
      <Names fields={fields} />
      <PlanLine />
    </form>
  );
}

/** The property names for conditions. A click inserts one into the query. */
function Names({ fields }: { readonly fields: readonly Field[] }): JSX.Element {
  const studio = useStudio();
  const stored: readonly Field[] = [
    { name: "PartitionKey", type: "String", key: "PartitionKey", isRequired: true },
    { name: "RowKey", type: "String", key: "RowKey", isRequired: true },
  ];
  const insert = ({ name, type }: Field): void => {
    const text = studio.text.value.trim();
    studio.setText(`${text === "" ? "" : `${text} and `}${name} eq ${sampleOf(type)}`);
    const input = document.getElementById("query") as HTMLInputElement | null;
    input?.focus();
  };
  return (
    <div class="names" role="group" aria-label="Properties">
      {(fields.length === 0 ? stored : fields.filter(({ type }) => type !== "Json")).map((field) => (
        <button
          key={field.name}
          type="button"
          class="name"
          data-key={field.key}
          onClick={() => insert(field)}
        >
          {field.name} <span>{field.key ?? field.type}</span>
        </button>
      ))}
    </div>
  );
}

function PlanLine(): JSX.Element {
  const studio = useStudio();
  const plan = studio.plan.value;
  const problem = studio.problem.value;
  return (
    <div class="plan" aria-live="polite">
      {problem !== undefined && <span class="problem">{problem}</span>}
      {plan !== undefined && (
        <details>
          <summary>
            {plan.rating === undefined ? (
              <span class="rating">first rows</span>
            ) : (
              <span class="rating" data-rating={plan.rating}>
                {plan.rating}
              </span>
            )}
            <span class="plan-text">{plan.text}</span>
          </summary>
          <PlannedRequests plan={plan} />
        </details>
      )}
      {plan?.needsPermission === true && <ScanPermission plan={plan} />}
    </div>
  );
}

function PlannedRequests({ plan }: { readonly plan: Plan }): JSX.Element {
  const [shown, left] = [plan.requests.slice(0, 8), plan.requests.length - 8];
  return (
    <ol class="requests">
      {shown.map(({ keys, filter, client }, i) => (
        <li key={i}>
          <code>{keys ?? "all keys"}</code>
          {filter !== undefined && (
            <>
              {" "}
              filter <code>{filter}</code>
            </>
          )}
          {client !== undefined && (
            <>
              {" "}
              checked here <code>{client}</code>
            </>
          )}
        </li>
      ))}
      {left > 0 && <li>and {left} more</li>}
    </ol>
  );
}

function ScanPermission({ plan }: { readonly plan: Plan }): JSX.Element {
  const studio = useStudio();
  return (
    <label class="scan">
      <input
        type="checkbox"
        checked={studio.isScanAllowed.value}
        onChange={({ currentTarget }) => (studio.isScanAllowed.value = currentTarget.checked)}
      />
      Allow this scan, which may read the complete table
      {plan.missing.length > 0 && (
        <span class="missing">, because no condition compares {plan.missing.join(", ")}</span>
      )}
    </label>
  );
}

function exampleOf(fields: readonly Field[]): string {
  const key = fields.find((field) => field.key === "PartitionKey");
  if (key === undefined) return "PartitionKey eq 'A' and RowKey ge 'B', or nothing for all rows";
  return `${key.name} eq ${sampleOf(key.type)}, or nothing for all rows`;
}

/** A constant of a type in OData syntax. */
function sampleOf(type: Field["type"]): string {
  switch (type) {
    case "Int32":
    case "Double":
      return "0";
    case "Int64":
      return "0L";
    case "Boolean":
      return "true";
    case "DateTime":
      return `datetime'${new Date().toISOString().slice(0, 10)}T00:00:00Z'`;
    case "Guid":
      return "guid'00000000-0000-0000-0000-000000000000'";
    case "Binary":
      return "X''";
    case "String":
    case "Json":
      return "''";
    default:
      return type satisfies never;
  }
}
