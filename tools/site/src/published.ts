import { readFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "./workspace.ts";

/** What the manifest of core says about all packages. */
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

/** What the top of each page says. */
export const versionText = ({ version }: Published): string =>
  version === "0.0.0" ? "0.0.0 (not published)" : `v${version}`;
