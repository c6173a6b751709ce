import type { VersionCount } from "@partita/maintenance";

/** Rows by kind and version, a line each. */
export function linesOf(counts: readonly VersionCount[]): string[] {
  return counts
    .toSorted((a, b) => String(a.kind ?? "").localeCompare(String(b.kind ?? "")) || rank(a) - rank(b))
    .map(({ kind, version, count }) => {
      const of = kind === undefined ? "" : `${kind}, `;
      const label = version === undefined ? "without a version" : `version ${version}`;
      return `${count.toLocaleString("en").padStart(12)}  ${of}${label}`;
    });
}

const rank = ({ version }: VersionCount): number => Number(version ?? 0);
