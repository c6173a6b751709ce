// pnpm set-repository <url> [<site>]: writes the address of the source into the manifest of every package, for its page on
// npm and for provenance. With the address of the documentation site, messages of errors link to their pages there. You do
// this once before you publish; until then, no address is made up.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { packageNames } from "./package-entries.mjs";
import { run } from "./step.mjs";

const packages = packageNames();
const address = addressOf(process.argv[2] ?? "");
if (address === undefined) {
  console.error("Name the repository's page: pnpm set-repository https://example.org/owner/name");
  process.exit(2);
}
const site = process.argv[3] === undefined ? undefined : siteOf(process.argv[3]);
if (site === "") {
  console.error(
    "Name the address of the site: pnpm set-repository https://example.org/owner/name https://example.org/",
  );
  process.exit(2);
}
if (site !== undefined) linkErrorsTo(site);

for (const name of packages) {
  const directory = `packages/${name}`;
  const file = `${directory}/package.json`;
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const source = {
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: "git", url: `git+${address}.git`, directory },
  };
  const others = Object.entries(manifest).filter(([field]) => !Object.hasOwn(source, field));
  // Where manifests have them: after the keywords.
  const at = others.findIndex(([field]) => field === "keywords") + 1;
  const ordered = Object.fromEntries([
    ...others.slice(0, at),
    ...Object.entries(source),
    ...others.slice(at),
  ]);
  writeFileSync(file, `${JSON.stringify(ordered, undefined, 2)}\n`);
  console.log(`${file}: ${address}`);
}

/** Where a mistake loses data or breaks programs: their owner reviews every change. */
const guarded = [
  ...["work/", "storage/", "stores/", "index.ts"].map((path) => `core/src/${path}`),
  "queues/src/",
  "maintenance/src/",
  "transfer/src/",
];
const owner = `@${new URL(address).pathname.split("/")[1]}`;
const lines = ["*", ...guarded.map((room) => `/packages/${room}`)].map((path) => `${path} ${owner}`);
const header = "# Who reviews what; an owner who hands a room on changes its line.";
mkdirSync(".github", { recursive: true });
writeFileSync(".github/CODEOWNERS", `${[header, ...lines].join("\n")}\n`);
console.log(`.github/CODEOWNERS: ${owner}`);

run(
  "oxfmt",
  packages.map((name) => `packages/${name}/package.json`),
);

/** The address without what repositories' addresses end with; undefined for anything but a page of the web. */
function addressOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.pathname.length < 2) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\.git$/, "");
}

/** The address of the site, which ends with a slash; empty for anything but a page of the web. */
function siteOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" ? `${url.origin}${url.pathname.replace(/\/*$/, "/")}` : "";
}

/** Writes the address of the pages about errors into the source of their links. */
function linkErrorsTo(address) {
  const file = "packages/core/src/values/errors/error-page.ts";
  const source = readFileSync(file, "utf8");
  const linked = source.replace(/(?<=const errorPages = )"[^"]*"/, JSON.stringify(`${address}errors/`));
  writeFileSync(file, linked);
  console.log(`${file}: ${address}errors/`);
}
