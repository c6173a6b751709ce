import type { JSX } from "preact";
import type { Row, UpgradedVersion } from "../../api/cells.ts";
import { printable } from "../text/printable.ts";

/** The data of a stored row that the form of its class does not show, and the effect of a save on it. */
export function ExtrasNote({ row: { extras, className } }: { readonly row: Row }): JSX.Element | null {
  if (extras === undefined) return null;
  const { version, undeclared } = extras;
  return (
    <>
      {version !== undefined && <UpgradeNote version={version} />}
      {undeclared.length > 0 && (
        <p class="warning">
          {className} does not declare {namesOf(undeclared)}. Saving other properties leaves them unchanged.
        </p>
      )}
    </>
  );
}

/** A note that a row is of an older version. */
export function UpgradeNote({
  version: { stored, saved },
}: {
  readonly version: UpgradedVersion;
}): JSX.Element {
  return (
    <p class="warning">
      This row is stored in version {stored}, and shown in version {saved}. Saving a change upgrades it.
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
