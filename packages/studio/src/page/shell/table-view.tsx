import type { JSX } from "preact";
import { Grid } from "../grid/grid.tsx";
import { GridTools } from "../grid/grid-tools.tsx";
import { KeysView } from "../plots/keys-view.tsx";
import { KindsView } from "../plots/kinds-view.tsx";
import { UpgradeView } from "../plots/upgrade-view.tsx";
import { QueryBar } from "../query/query-bar.tsx";
import { useStudio } from "../state/studio-context.ts";
import { TablePage } from "../table/table-page.tsx";
import { isViewOf, type View, views } from "../state/shown-parts.ts";

/** One table: its rows, its kinds, its keys, its upgrade, or its files. */
export function TableView(): JSX.Element {
  const studio = useStudio();
  return (
    <>
      <Tabs />
      <section class="view" role="tabpanel" aria-label={labels[studio.view.value]}>
        <Shown view={studio.view.value} />
      </section>
    </>
  );
}

const labels: Readonly<Record<View, string>> = {
  rows: "Rows",
  kinds: "Kinds and versions",
  keys: "Keys and heat",
  upgrade: "Upgrade",
  table: "Files and table",
};

function Tabs(): JSX.Element {
  const studio = useStudio();
  const classes = studio.tableInfo.value?.classes ?? [];
  const shown = views.filter((view) => isViewOf(classes, view));
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = (shown.indexOf(studio.view.value) + step + shown.length) % shown.length;
    studio.view.value = shown[at] ?? "rows";
    const tabs = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]");
    tabs[at]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views of the table" onKeyDown={move}>
      {shown.map((view) => (
        <button
          key={view}
          type="button"
          role="tab"
          aria-selected={studio.view.value === view}
          tabIndex={studio.view.value === view ? 0 : -1}
          onClick={() => (studio.view.value = view)}
        >
          {labels[view]}
        </button>
      ))}
    </div>
  );
}

function Shown({ view }: { readonly view: View }): JSX.Element {
  switch (view) {
    case "rows":
      return (
        <div class="rows-view">
          <QueryBar />
          <GridTools />
          <Grid />
        </div>
      );
    case "kinds":
      return <KindsView />;
    case "keys":
      return <KeysView />;
    case "upgrade":
      return <UpgradeView />;
    case "table":
      return <TablePage />;
    default:
      return view satisfies never;
  }
}
