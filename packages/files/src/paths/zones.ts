import { FileError } from "../errors/file-error.ts";
import { checkPath } from "./check-path.ts";

/** What holds for all files below a path. */
export interface ZonePolicy {
  /**
   * How long a deleted version can still be read, in milliseconds; `reclaim` removes it afterwards, though never within two
   * minutes of its beginning. Default 7 days.
   */
  readonly keepDeletedMs?: number | undefined;
  /**
   * After how long without an end a `write` counts as given up, in milliseconds: `reclaim` then removes what it has written.
   * Five minutes at least; default one day.
   */
  readonly keepWritingMs?: number | undefined;
}

const day = 24 * 60 * 60 * 1000;
export const defaultPolicy: Required<{ [Name in keyof ZonePolicy]: number }> = {
  keepDeletedMs: 7 * day,
  keepWritingMs: day,
};

/** The zone of all paths that no other zone has. */
const rootZone = "/";

/** @throws FileError `file.path`, `file.layout` */
export function checkZones(zones: Readonly<Record<string, unknown>>): void {
  for (const zone of Object.keys(zones)) if (zone !== rootZone) checkPath(zone);
}

/** Paths of a file system, by zones: the longest zone that a path is, or is below, has it. */
export class Zones {
  /** In the order of their paths; the root is one of them. */
  readonly paths: readonly string[];
  readonly #longestFirst: readonly string[];

  constructor(paths: readonly string[]) {
    this.paths = [...new Set([rootZone, ...paths])].toSorted();
    this.#longestFirst = this.paths.toSorted((a, b) => b.length - a.length);
  }

  of(path: string): string {
    return this.#longestFirst.find((zone) => isIn(path, zone)) ?? rootZone;
  }

  /** Whether a zone may have paths from one on, and before another. */
  reaches(zone: string, from: string | undefined, to: string | undefined): boolean {
    if (zone === rootZone) return true;
    return (to === undefined || zone < to) && (from === undefined || from < `${zone}0`);
  }

  /** @throws FileError `file.layout` where the stored zones are others */
  checkSame(stored: readonly string[]): void {
    const others = new Zones(stored).paths;
    if (others.length === this.paths.length && others.every((zone, i) => zone === this.paths[i])) return;
    throw new FileError(
      "file.layout",
      `The file system was made with the zones ${quoted(others)}, and is opened with ${quoted(this.paths)}: files of a zone are stored apart, and would not be found. Open it with the same zones, and copy its files into a file system of another name to change them.`,
      { stored: others, given: this.paths },
    );
  }
}

const isIn = (path: string, zone: string): boolean =>
  zone === rootZone || path === zone || path.startsWith(`${zone}/`);

const quoted = (zones: readonly string[]): string => zones.map((zone) => JSON.stringify(zone)).join(", ");
