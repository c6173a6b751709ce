import type { JSX } from "preact";
import { useStudio } from "../state/studio-context.ts";
import { CopySection } from "./copy-section.tsx";
import { DropSection } from "./drop-section.tsx";
import { ExportSection } from "./export-section.tsx";
import { ImportSection } from "./import-section.tsx";

/** Files of a table, its copies, and its end. */
export function TablePage(): JSX.Element {
  const studio = useStudio();
  const table = studio.table.value ?? "";
  const isReadOnly = studio.info.value?.isReadOnly === true;
  return (
    <div class="page" key={table}>
      <ExportSection />
      {isReadOnly ? (
        <p class="empty">This studio was opened read-only, so nothing is imported, copied or deleted.</p>
      ) : (
        <>
          <ImportSection />
          <CopySection />
          <DropSection />
        </>
      )}
    </div>
  );
}
