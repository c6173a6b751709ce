// The members of the main classes and functions, found in the sources: what an entry exports, the members of its classes and
// options, and the options that these take. No list to maintain: a new method or option is found by itself.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

const workspace = join(import.meta.dirname, "../../../..");

/** The entries with the main classes and functions. */
export const mainFiles: readonly string[] = [
  "packages/core/src/index.ts",
  "packages/core/src/models.ts",
  "packages/core/src/keys.ts",
  "packages/core/src/upgrades.ts",
  "packages/decorators/src/index.ts",
];

/** Functions of an entry that are for other schema languages, or that work inside of decorators. */
const forSchemaLanguages = new Set([
  "composeKey",
  "embeddedAs",
  "EmbeddedDeclaration",
  "indexDefinition",
  "modelOf",
  "registerEntity",
  "settingNames",
]);

/** A function, method or option, and whether its doc comment has an example. */
export interface PublicMember {
  readonly name: string;
  readonly hasExample: boolean;
}

/** Interfaces with properties that a caller writes. Of the options of a request, only those that an interface picks. */
const isOptions = (name: string): boolean =>
  /(?:Options|Hooks|Declaration|Lists|Shape|Rule)$/.test(name) && name !== "RequestOptions";
/** Interfaces with methods that a caller calls. */
const isChained = (name: string): boolean =>
  /(?:Query|EntityEntry|Predicate|Columns?|PropertyType|EmbeddedType|Upgrades|Tag)$/.test(name);

/** Everything that an entry exports and that takes an example. */
export function membersOf(entry: string): PublicMember[] {
  const found = new Map<string, boolean>();
  const note = (name: string, node: ts.Node): void => {
    found.set(name, found.get(name) === true || hasExample(node));
  };
  const seen = new Set<ts.Node>();
  // Options of decorators are those of the property types and of defineEntity.
  const followsOptions = !entry.includes("decorators");
  const visit = (named: Named, isExported: boolean, only?: ReadonlySet<string>): void => {
    const { name, path } = named;
    for (const node of declarationsOf(named)) {
      if (only === undefined && seen.has(node)) continue;
      seen.add(node);
      if (ts.isTypeAliasDeclaration(node)) {
        for (const type of typesIn(node)) follow(type, path);
      } else if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
        const isClass = ts.isClassDeclaration(node) && !/Error$|Refused$/.test(name);
        if (!isClass && only === undefined && !isOptions(name) && !isChained(name)) continue;
        if (!isClass && !followsOptions) continue;
        for (const member of node.members) {
          const memberName = member.name?.getText();
          if (memberName === undefined || (only !== undefined && !only.has(memberName))) continue;
          if (!takesExample(member, isOptions(name) || only !== undefined)) continue;
          note(`${name}.${memberName}`, member);
          for (const type of typesIn(member)) follow(type, path);
        }
        for (const clause of node.heritageClauses ?? [])
          for (const type of clause.types) followBase(type, path);
      } else if (isExported) {
        note(name, node);
        for (const type of typesIn(node)) follow(type, path);
      }
    }
  };
  const follow = (type: string, path: string): void => {
    if (!followsOptions || forSchemaLanguages.has(type) || !(isOptions(type) || isChained(type))) return;
    const target = resolve(type, path);
    if (target !== undefined) visit(target, false);
  };
  const followBase = (type: ts.ExpressionWithTypeArguments, path: string): void => {
    const [of, names] = type.typeArguments ?? [];
    const base = type.expression.getText();
    if (base !== "Pick") return visitBase(base, path);
    visitBase(
      of?.getText() ?? "",
      path,
      new Set(Array.from(names?.getText().matchAll(/\w+/g) ?? [], String)),
    );
  };
  const visitBase = (name: string, path: string, only?: ReadonlySet<string>): void => {
    const target = resolve(name, path);
    if (target !== undefined) visit(target, false, only);
  };
  for (const named of exportsOf(entry)) if (!forSchemaLanguages.has(named.name)) visit(named, true);
  return Array.from(found, ([name, isShown]) => ({ name, hasExample: isShown }));
}

/** A declaration by its name and file. */
interface Named {
  readonly name: string;
  readonly path: string;
}

/** What an entry exports of its own package. */
function exportsOf(entry: string): Named[] {
  return sourceOf(entry).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return [];
    const from = pathFrom(entry, statement.moduleSpecifier);
    if (from === undefined || !ts.isNamedExports(statement.exportClause)) return [];
    return statement.exportClause.elements.map(({ name, propertyName }) => ({
      name: (propertyName ?? name).text,
      path: from,
    }));
  });
}

/** Methods, getters and static functions; of options, properties. */
function takesExample(member: ts.ClassElement | ts.TypeElement, isOption: boolean): boolean {
  const flags = ts.getCombinedModifierFlags(member as ts.Declaration);
  if ((flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0) return false;
  if (member.name === undefined || ts.isPrivateIdentifier(member.name)) return false;
  // `Ticks.is` and the like recognise the instances of another copy of the package.
  if (commentOf(member).includes("@internal") || member.name.getText() === "is") return false;
  if (ts.isPropertySignature(member)) return isOption;
  return ts.isMethodDeclaration(member) || ts.isMethodSignature(member) || ts.isGetAccessor(member);
}

/** The names of the types that a declaration names. */
function typesIn(node: ts.Node): string[] {
  const found: string[] = [];
  const look = (each: ts.Node): void => {
    if (ts.isTypeReferenceNode(each)) found.push(each.typeName.getText());
    if (!ts.isBlock(each)) ts.forEachChild(each, look);
  };
  look(node);
  return found;
}

/** Where a name that a file uses is declared. */
function resolve(name: string, path: string): Named | undefined {
  for (const statement of sourceOf(path).statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    const element = bindings.elements.find((each) => each.name.text === name);
    const from = element && pathFrom(path, statement.moduleSpecifier);
    if (from !== undefined)
      return { name: (element?.propertyName ?? element?.name)?.text ?? name, path: from };
  }
  return declarationsOf({ name, path }).length > 0 ? { name, path } : undefined;
}

/** Every declaration of a name: functions may have overloads. */
function declarationsOf({ name, path }: Named): ts.Node[] {
  return sourceOf(path).statements.flatMap((statement): ts.Node[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.some((each) => each.name.getText() === name)
        ? [statement]
        : [];
    const isDeclared =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement);
    return isDeclared && statement.name?.text === name ? [statement] : [];
  });
}

const pathFrom = (path: string, specifier: ts.Expression | undefined): string | undefined =>
  specifier !== undefined && ts.isStringLiteral(specifier) && specifier.text.startsWith(".")
    ? join(dirname(path), specifier.text)
    : undefined;

const hasExample = (node: ts.Node): boolean => commentOf(node).includes("```ts");

function commentOf(node: ts.Node): string {
  const text = node.getSourceFile().text;
  const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  const last = ranges.at(-1);
  return last === undefined ? "" : text.slice(last.pos, last.end);
}

const sources = new Map<string, ts.SourceFile>();

function sourceOf(path: string): ts.SourceFile {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(workspace, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  sources.set(path, source);
  return source;
}
