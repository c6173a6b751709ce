import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { workspace } from "../workspace.ts";
import { type Page, withoutCode } from "./page.ts";

const link = /(?<!!)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/**
 * Points the links of a page at pages of the site. A link to another file of the workspace, such as a source,
 * becomes plain text.
 *
 * @param pages - all pages of the site, by their source
 * @param base - what every link begins with; VitePress adds the site's own
 */
export function withSiteLinks(page: Page, pages: ReadonlyMap<string, Page>, base = "/"): string {
  return outsideCode(page.text, (prose) =>
    prose.replaceAll(link, (whole, label: string, target: string) => {
      if (isElsewhere(target) || target.startsWith("#")) return whole;
      const [source, anchor] = sourceOf(page, target);
      const found = pages.get(source);
      if (found !== undefined) return `[${label}](${base}${found.path}.md${anchor})`;
      return isAsset(page, source) || !existsSync(join(workspace, source)) ? whole : label;
    }),
  );
}

/** Links that lead nowhere: to no file, or to no heading of the page they name. Each with the page that it is on. */
export function brokenLinks(pages: readonly Page[]): string[] {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  return pages.flatMap((page) => brokenOn(page, bySource).map((target) => `${page.source}: ${target}`));
}

function brokenOn(page: Page, pages: ReadonlyMap<string, Page>): string[] {
  const targets = Array.from(
    withoutCode(page.text).matchAll(/\]\(([^)\s]+)\)/g),
    ([, target = ""]) => target,
  );
  return targets.filter((target) => {
    if (isElsewhere(target)) return false;
    const [source, anchor] = sourceOf(page, target);
    const found = pages.get(source);
    if (found === undefined) return !existsSync(join(workspace, source));
    return anchor !== "" && !anchorsOf(found.text).includes(anchor.slice(1));
  });
}

/** The anchors of a text's headings, as GitHub and the site make them. */
export function anchorsOf(text: string): string[] {
  const headings = Array.from(withoutCode(text).matchAll(/^#{1,6} (.+)$/gm), ([, heading = ""]) => heading);
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** The anchor of one heading, as GitHub makes it: small letters, hyphens for spaces, no punctuation. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const isElsewhere = (target: string): boolean => /^[a-z]+:/i.test(target);

/** A picture next to the guides. The site has it at the same path. */
const isAsset = (page: Page, source: string): boolean =>
  page.source.startsWith("docs/") && /^docs\/.*\.(?:svg|png|json)$/.test(source);

/** What a link names, from the workspace, and its anchor with `#`. */
function sourceOf(page: Page, target: string): [source: string, anchor: string] {
  const [path = "", anchor] = target.split("#");
  const source = path === "" ? page.source : posix.join(posix.dirname(page.source), path);
  const readme = /^packages\/[^/]+\/?$/.test(source) ? posix.join(source, "README.md") : source;
  return [readme.replace(/\/$/, ""), anchor === undefined ? "" : `#${anchor}`];
}

/** Changes a text, but for its blocks of code. */
function outsideCode(text: string, change: (prose: string) => string): string {
  const parts = text.split(/(^ *```[\s\S]*?^ *```$)/gm);
  return parts.map((part, i) => (i % 2 === 1 ? part : change(part))).join("");
}
