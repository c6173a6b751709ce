import type { JSX } from "preact";
import type { Row, UpgradedVersion } from "../../api/cells.ts";
import { printable } from "../text/printable.ts";

/** What a stored row has that the form of its class does not show, and what a save does with it. */
export function ExtrasNote({ row: { extras, className } }: { readonly row: Row }): JSX.Element | null {
  if (extras === undefined) return null;
  const { version, undeclared } = extras;
  return (
    <>
      {version !== undefined && <UpgradeNote version={version} />}
      {undeclared.length > 0 && (
        <p class="warning">
          {className} does not declare {namesOf(undeclared)}. A change of other properties keeps what the row
          has of them.
        </p>
      )}
    </>
  );
}

/** That a row is of an older version. */
export function UpgradeNote({
  version: { stored, saved },
}: {
  readonly version: UpgradedVersion;
}): JSX.Element {
  return (
    <p class="warning">
      It is stored in version {stored}, and shown in version {saved}: to save a change upgrades it.
    </p>
  );
}

const mostNames = 10;

/** Names as a list in words. */
export function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(printable);
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
