import { readFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "./workspace.ts";

/** The version and the repository of all packages, from the manifest of core. */
export interface Published {
  readonly version: string;
  /** The page of the repository, without a slash at its end; undefined until `pnpm set-repository` has written it. */
  readonly address: string | undefined;
}

export const readPublished = (): Published =>
  publishedOf(readFileSync(join(workspace, "packages/core/package.json"), "utf8"));

export function publishedOf(manifest: string): Published {
  const { version, repository } = JSON.parse(manifest) as {
    readonly version: string;
    readonly repository?: { readonly url: string };
  };
  return { version, address: repository?.url.replace(/^git\+/, "").replace(/\.git$/, "") };
}

/** The version as the navigation shows it. */
export const versionText = ({ version }: Published): string =>
  version === "0.0.0" ? "0.0.0 (not published)" : `v${version}`;
