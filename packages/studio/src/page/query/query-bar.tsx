import type { JSX } from "preact";
import type { Plan } from "../../api/queries.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import type { QueryField } from "./completions.ts";
import { sampleOf } from "./constants.ts";
import { QueryInput } from "./query-input.tsx";
import { useQueryFields } from "./use-query-fields.ts";

/** The conditions of a query, and its plan before it runs. */
export function QueryBar(): JSX.Element {
  const studio = useStudio();
  const fields = useQueryFields();
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
        <QueryInput fields={fields} placeholder={exampleOf(fields)} />
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
function Names({ fields }: { readonly fields: readonly QueryField[] }): JSX.Element {
  const studio = useStudio();
  const insert = ({ name, type }: QueryField): void => {
    const text = studio.text.value.trim();
    studio.setText(`${text === "" ? "" : `${text} and `}${name} eq ${sampleOf(type)}`);
    document.getElementById("query")?.focus();
  };
  return (
    <div class="names" role="group" aria-label="Properties">
      {fields.slice(0, maxNames).map((field) => (
        <button
          key={field.name}
          type="button"
          class="name"
          // The keyboard has completions for the same, and fewer steps to the rows.
          tabIndex={-1}
          data-key={field.key}
          onClick={() => insert(field)}
        >
          {printable(field.name)} <span>{field.key ?? field.type}</span>
        </button>
      ))}
    </div>
  );
}

/** Names with a button. Completions have all of them. */
const maxNames = 24;

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

function exampleOf(fields: readonly QueryField[]): string {
  const key = fields.find((field) => field.key === "PartitionKey");
  if (key === undefined) return "Ctrl+Space shows names";
  return `${key.name} eq ${key.constants[0] ?? sampleOf(key.type)}, or nothing for all rows`;
}
