import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ClassInfo, TableInfo } from "../../api/tables.ts";
import { useStudio } from "../state/studio-context.ts";
import { NewTable } from "./new-table.tsx";
import { printable } from "../text/printable.ts";

/** The tables, and for each table the classes of the module. */
export function Sidebar(): JSX.Element {
  const studio = useStudio();
  const [wanted, setWanted] = useState("");
  const tables = studio.info.value?.tables ?? [];
  const shown = tables.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const isFolded = useFolded();
  const content = (
    <>
      {tables.length > 8 && (
        <input
          type="search"
          aria-label="Find a table"
          placeholder={`Find among ${tables.length} tables`}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      <h2>Tables</h2>
      <ul>
        {shown.map((table) => (
          <TableEntry key={table.name} table={table} />
        ))}
      </ul>
      {studio.info.value?.isReadOnly === false && <NewTable />}
    </>
  );
  return (
    <nav class="sidebar" aria-label="Tables">
      {isFolded ? <Folded>{content}</Folded> : content}
    </nav>
  );
}

const narrow = matchMedia("(max-width: 560px)");

/** Whether the page is too narrow for a list of tables next to the rows. */
function useFolded(): boolean {
  const [isFolded, setFolded] = useState(narrow.matches);
  useEffect(() => {
    const note = (): void => setFolded(narrow.matches);
    narrow.addEventListener("change", note);
    return () => narrow.removeEventListener("change", note);
  }, []);
  return isFolded;
}

/** The tables in a fold, which closes when another one is opened. */
function Folded({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const studio = useStudio();
  const [table, className] = [studio.table.value, studio.className.value];
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (fold.current !== null) fold.current.open = false;
  }, [table, className]);
  return (
    <details ref={fold} class="fold">
      <summary>
        Tables{" "}
        <strong>{printable([table, className].filter((name) => name !== undefined).join(" / "))}</strong>
      </summary>
      {children}
    </details>
  );
}

function TableEntry({ table }: { readonly table: TableInfo }): JSX.Element {
  const studio = useStudio();
  return (
    <li>
      <Place table={table} className={undefined} />
      {!table.isStored && studio.info.value?.isReadOnly === false && (
        <button type="button" class="quiet create" onClick={() => void studio.createTable(table.name)}>
          Create {printable(table.name)}
        </button>
      )}
      {table.classes.length > 0 && (
        <ul>
          {table.classes.map((each) => (
            <li key={each.name}>
              <Place table={table} className={each.name} info={each} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/**
 * The number of rows of a table, if they were counted. Otherwise a note if rows with classes are shown as
 * stored.
 */
function TableNote({ table }: { readonly table: TableInfo }): JSX.Element | null {
  const rows = useStudio().rowsOf(table.name);
  if (rows !== undefined) return <span class="tag">{rows.toLocaleString("en")}</span>;
  return table.classes.length > 0 ? <span class="tag">as stored</span> : null;
}

/** A table or one of its classes. A click shows it. */
function Place({
  table,
  className,
  info,
}: {
  readonly table: TableInfo;
  readonly className: string | undefined;
  readonly info?: ClassInfo;
}): JSX.Element {
  const studio = useStudio();
  const isCurrent = studio.table.value === table.name && studio.className.value === className;
  return (
    <button
      type="button"
      class={className === undefined ? "place table" : "place class"}
      aria-current={isCurrent ? "page" : undefined}
      disabled={!table.isStored}
      title={table.isStored ? undefined : "The storage does not have this table yet."}
      onClick={() => studio.openTable(table.name, className)}
    >
      <span class="place-name">{printable(className ?? table.name)}</span>
      {info?.version !== undefined && <span class="tag">v{info.version}</span>}
      {className === undefined && <TableNote table={table} />}
    </button>
  );
}
