import { readFileSync } from "node:fs";
import { readEntries } from "../reference-entries.ts";
import { listOf, nameOf, parseNodes } from "./syntax.ts";

/** The entries that examples import from first, if several have a name. */
const first = ["@partita/core", "@partita/decorators", "@partita/core/keys", "@partita/core/upgrades"];

/** The import lines for the names of packages that some code uses, except for the names that other code imports. */
export function importsOf(code: string, other = ""): string {
  const used = [...exportsByName().values()].filter((each) => uses(code, each) && !uses(other, each));
  const byEntry = Map.groupBy(used, ({ entry }) => entry);
  return [...byEntry]
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b) || a.localeCompare(b))
    .map(
      ([entry, found]) =>
        `import { ${found.map(shown).toSorted(ignoringType).join(", ")} } from "${entry}";\n`,
    )
    .join("");
}

/** A name that an entry exports. */
interface Exported {
  readonly entry: string;
  readonly name: string;
  readonly isType: boolean;
}

const shown = ({ name, isType }: Exported): string => (isType ? `type ${name}` : name);

const ignoringType = (a: string, b: string): number =>
  a.replace("type ", "").localeCompare(b.replace("type ", ""));

/** Whether code uses a name of a package that it does not declare itself. */
function uses(code: string, { name, isType }: Exported): boolean {
  if (new RegExp(`\\b(?:class|const|function|import \\{.*|export \\{.*) ?${name}\\b`).test(code))
    return false;
  const use = isType ? `(?:[:<|]|\\bas) *${name}\\b` : `(?<![.\\w"/-])${name}\\b(?!["/-]|\\??:)`;
  return new RegExp(use).test(withoutComments(code));
}

const withoutComments = (code: string): string => code.replaceAll(/ *\/\/ .*$/gm, "");

let known: ReadonlyMap<string, Exported> | undefined;

/** What the packages export, by name: of entries that export the same name, the first one. */
function exportsByName(): ReadonlyMap<string, Exported> {
  if (known !== undefined) return known;
  const entries = readEntries().toSorted((a, b) => rankOf(a.name) - rankOf(b.name));
  const all = entries.flatMap(({ name: entry, file }) => exportedFrom(entry, file));
  const found = new Map<string, Exported>();
  // A decorator takes precedence over a type of the same name.
  for (const each of all.toSorted((a, b) => Number(a.isType) - Number(b.isType)))
    if (!found.has(each.name)) found.set(each.name, each);
  return (known = found);
}

const rankOf = (entry: string): number => (first.includes(entry) ? first.indexOf(entry) : first.length);

function exportedFrom(entry: string, file: string): Exported[] {
  const declarations = parseNodes(readFileSync(file, "utf8"), file).filter(
    ({ type }) => type === "ExportNamedDeclaration",
  );
  return declarations.flatMap((declaration) =>
    listOf(declaration, "specifiers").flatMap((specifier) => {
      const name = nameOf(specifier["exported"]);
      const isType = [declaration, specifier].some(({ exportKind }) => exportKind === "type");
      return name === undefined ? [] : [{ entry, name, isType }];
    }),
  );
}
