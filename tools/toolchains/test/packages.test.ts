import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Package, packAll, packages, unpackedProject } from "../src/packed-project.ts";
import { run, runWell } from "../src/run.ts";

interface Manifest {
  readonly main: string;
  readonly types: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly typesVersions?: { readonly "*": Readonly<Record<string, readonly string[]>> };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig: object;
}

let folder: string;
let tarballs: ReadonlyMap<Package, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-manifests-"));
  tarballs = await packAll(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(packages)("what is packed of %s", (name) => {
  let tarball: string;
  let files: readonly string[];
  let manifest: Manifest;
  beforeAll(async () => {
    tarball = tarballs.get(name) as string;
    files = (await runWell("tar", ["-tzf", tarball])).split("\n");
    manifest = JSON.parse(await runWell("tar", ["-xzOf", tarball, "package/package.json"])) as Manifest;
  });

  test("asks for no package by a name that only this workspace knows", () => {
    const { dependencies, peerDependencies } = manifest;

    const ranges = Object.values({ ...dependencies, ...peerDependencies });
    expect(ranges.filter((range) => /^(?:workspace|catalog|link|file):/.test(range))).toEqual([]);
  });

  test("has the files that every resolution leads to, one for each entry", () => {
    const { main, types, typesVersions, exports } = manifest;
    const subpaths = Object.values(typesVersions?.["*"] ?? {}).flat();

    for (const file of [main, types, ...subpaths]) expect(files).toContain(join("package", file));
    const entries = Object.keys(exports).filter((entry) => entry !== "." && entry !== "./package.json");
    expect(Object.keys(typesVersions?.["*"] ?? {}).map((entry) => `./${entry}`)).toEqual(entries);
  });

  test("has code of ASCII characters alone, which V8 keeps and reads as one byte each", async () => {
    // A page is for browsers.
    const code = files.filter((file) => /^package\/dist\/(?!page\/).*\.js$/.test(file));
    const text = await runWell("tar", ["-xzOf", tarball, ...code]);

    expect(code).not.toEqual([]);
    // oxlint-disable-next-line no-control-regex
    expect(text.match(/[^\0-\x7f]/g)).toBeNull();
  });

  test("is published for everybody, with provenance", () => {
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });

  test("has a README without links that lead nowhere on npm", async () => {
    const readme = await readFile(join(import.meta.dirname, "../../../packages", name, "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);

    expect(links.filter((link) => link?.startsWith("https://") !== true)).toEqual([]);
    expect(readme).toMatch(/```sh\nnpm install /);
    expect(readme).toMatch(/```ts\n/);
  });
});

test("the packed command runs with the other packages as they are packed", async () => {
  await using project = await unpackedProject();
  const command = join(project.folder, "node_modules/@partita/cli/dist/main.js");

  const version = await run(process.execPath, [command, "--version"], project.folder);
  // Its options are read once the core and the server's package are loaded.
  const misused = await run(process.execPath, [command, "serve", "--port", "70000"], project.folder);

  expect(version).toEqual({ stdout: "0.0.0", stderr: "", status: 0 });
  expect(misused.stderr).toMatch(/^--port takes a number/);
  expect(misused.status).toBe(2);
});

describe("the place of the source is set once", () => {
  const script = join(import.meta.dirname, "../../run/set-repository.mjs");

  test("for every package, with the folder of each", async () => {
    for (const name of packages) {
      await mkdir(join(folder, "packages", name), { recursive: true });
      const manifest = { name: `@partita/${name}`, keywords: [], license: "MIT" };
      await writeFile(join(folder, "packages", name, "package.json"), JSON.stringify(manifest));
    }

    // Setting it again replaces what was set.
    for (const address of ["https://example.org/other/place", "https://example.org/owner/name.git"])
      await runWell(process.execPath, [script, address], folder);

    for (const name of packages)
      expect(JSON.parse(await readFile(join(folder, "packages", name, "package.json"), "utf8"))).toEqual({
        name: `@partita/${name}`,
        keywords: [],
        homepage: "https://example.org/owner/name#readme",
        bugs: { url: "https://example.org/owner/name/issues" },
        repository: {
          type: "git",
          url: "git+https://example.org/owner/name.git",
          directory: `packages/${name}`,
        },
        license: "MIT",
      });
  });

  test.each([
    "",
    "owner/name",
    "http://example.org/owner/name",
    "https://user:secret@example.org/owner/name",
  ])("but not to %j", async (address) => {
    const { status, stderr } = await run(process.execPath, [script, address], folder);

    expect(status).toBe(2);
    expect(stderr).toMatch(/Name the repository's page/);
    expect(stderr).not.toContain("secret");
  });
});
