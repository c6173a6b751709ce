import { FileError } from "../errors/file-error.ts";
import { checkPath } from "./check-path.ts";

/** The policy of all files below a path. */
export interface ZonePolicy {
  /**
   * How long a deleted version can still be read, in milliseconds. Afterwards `reclaim` deletes it, but never
   * within two minutes of its creation. Default 7 days.
   */
  readonly keepDeletedMs?: number | undefined;
  /**
   * The time after which an unfinished `write` counts as abandoned, in milliseconds. `reclaim` then deletes
   * its blocks. At least five minutes; default one day.
   */
  readonly keepWritingMs?: number | undefined;
  /**
   * How long `at(path, date)` finds replaced and deleted blocks and metadata, in milliseconds. Which zones keep them
   * is fixed when the first file is created. Default 0: they are not kept.
   */
  readonly keepReplacedMs?: number | undefined;
}

const day = 24 * 60 * 60 * 1000;
export const defaultPolicy: Required<{ [Name in keyof ZonePolicy]: number }> = {
  keepDeletedMs: 7 * day,
  keepWritingMs: day,
  keepReplacedMs: 0,
};

/** The zone of all paths outside of other zones. */
const rootZone = "/";

/** @throws FileError `file.path`, `file.layout` */
export function checkZones(zones: Readonly<Record<string, unknown>>): void {
  for (const zone of Object.keys(zones)) if (zone !== rootZone) checkPath(zone);
}

/** The paths of a file system, by zones. A path belongs to the longest zone that equals or contains it. */
export class Zones {
  /** In the order of their paths, including the root. */
  readonly paths: readonly string[];
  readonly #longestFirst: readonly string[];

  constructor(paths: readonly string[]) {
    this.paths = [...new Set([rootZone, ...paths])].toSorted();
    this.#longestFirst = this.paths.toSorted((a, b) => b.length - a.length);
  }

  of(path: string): string {
    return this.#longestFirst.find((zone) => isIn(path, zone)) ?? rootZone;
  }

  /** Whether a zone may have paths within a range: an inclusive start and an exclusive end. */
  reaches(zone: string, from: string | undefined, to: string | undefined): boolean {
    if (zone === rootZone) return true;
    return (to === undefined || zone < to) && (from === undefined || from < `${zone}0`);
  }

  /** @throws FileError `file.layout` if the stored zones differ */
  checkSame(stored: readonly string[]): void {
    const others = new Zones(stored).paths;
    if (others.length === this.paths.length && others.every((zone, i) => zone === this.paths[i])) return;
    throw new FileError(
      "file.layout",
      `The file system was created with the zones ${quoted(others)}, but opened with ${quoted(this.paths)}. Its files would not be found, because each zone is stored separately. Open it with the same zones. To change them, copy the files to a file system with another name.`,
      { stored: others, given: this.paths },
    );
  }
}

const isIn = (path: string, zone: string): boolean =>
  zone === rootZone || path === zone || path.startsWith(`${zone}/`);

const quoted = (zones: readonly string[]): string => zones.map((zone) => JSON.stringify(zone)).join(", ");
