import type { JSX } from "preact";
import type { ImportPreview } from "../../api/transfers.ts";
import { printable } from "../text/printable.ts";

/** Rows of a preview that are shown. */
const shownRows = 5;

/** The first rows of a file as an import reads them, with the types of its columns. */
export function Preview({ preview }: { readonly preview: ImportPreview }): JSX.Element {
  const { format, columns, rows, problems, isUntyped } = preview;
  return (
    <div class="preview">
      <p>
        <strong>{format === "csv" ? "CSV" : "JSON"}</strong> with {columns.length}{" "}
        {columns.length === 1 ? "property" : "properties"} in its first rows
      </p>
      {isUntyped && (
        <p class="warning">
          This CSV has columns without types. The types shown here are inferred from the first values.
        </p>
      )}
      <div class="preview-rows" role="region" aria-label="First rows" tabIndex={0}>
        <table class="facts">
          <thead>
            <tr>
              <th scope="col">
                PartitionKey <small>key</small>
              </th>
              <th scope="col">
                RowKey <small>key</small>
              </th>
              {columns.map(({ name, types }) => (
                <th key={name} scope="col" data-mixed={types.length > 1}>
                  {printable(name)} <small>{types.join(" or ")}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownRows).map(({ partitionKey, rowKey, values }, i) => (
              <tr key={i}>
                {[partitionKey, rowKey, ...values].map((value, at) => (
                  <td key={at}>{value === null ? "–" : printable(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map((problem) => (
            <li key={problem}>{printable(problem)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
