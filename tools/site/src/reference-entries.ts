import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "./workspace.ts";

/** An import path of a package, and its source file. */
export interface Entry {
  /** `@partita/core/keys` */
  readonly name: string;
  readonly file: string;
  /** The comment at the start of the file, or else the description in the package's manifest. */
  readonly description: string;
}

/** The entries of all packages, from their manifests. */
export function readEntries(): Entry[] {
  const manifests = globSync("packages/*/package.json", { cwd: workspace }).toSorted();
  return manifests.flatMap((path) => {
    const {
      name,
      description,
      exports = {},
    } = JSON.parse(readFileSync(join(workspace, path), "utf8")) as Manifest;
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === "string" ? undefined : target["@partita/source"];
      // No code (the manifest, or files of a page), or code shared between the packages.
      if (source === undefined || subpath.startsWith("./internal")) return [];
      const file = join(workspace, path, "..", source);
      const comment = descriptionOf(readFileSync(file, "utf8"));
      return [
        { name: name + subpath.slice(1), file, description: comment === "" ? `${description}.` : comment },
      ];
    });
  });
}

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly exports?: Readonly<Record<string, string | { readonly "@partita/source"?: string }>>;
}

/** The comment at the top of a source: `// The front door: every decorator.` is "Every decorator." */
export function descriptionOf(source: string): string {
  const lines = /^(?:\/\/ .*\n)*/.exec(source)?.[0].replaceAll("// ", "") ?? "";
  const text = lines
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^The (?:second )?front door: /, "");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
