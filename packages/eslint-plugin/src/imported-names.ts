import type { SyntaxNode } from "./syntax.ts";

/** The imports of a file from one module, with their local names. */
export interface ImportedNames {
  /** The module's name for `local`, such as `PartitionKey` or `partita.PartitionKey`. */
  importedName(local: string | undefined): string | undefined;
  /** The local name of an export of the module. Undefined if the file does not import it. */
  localName(imported: string): string | undefined;
  /** The last name in braces, for inserting another after it. */
  readonly last: SyntaxNode | undefined;
}

/** Finds the imports of a module in a file. Undefined if there are none. */
export function importedNames(program: SyntaxNode, module: string): ImportedNames | undefined {
  const specifiers = (program["body"] as SyntaxNode[])
    .filter((node) => node.type === "ImportDeclaration" && (node["source"] as SyntaxNode)["value"] === module)
    .flatMap((node) => node["specifiers"] as SyntaxNode[]);
  if (specifiers.length === 0) return undefined;
  const named = specifiers.filter(({ type }) => type === "ImportSpecifier");
  const namespace = specifiers.find(({ type }) => type === "ImportNamespaceSpecifier");
  const prefix = namespace && `${localOf(namespace)}.`;
  const imported = new Map(named.map((each) => [localOf(each), nameOf(each["imported"] as SyntaxNode)]));
  return {
    importedName: (local = "") =>
      prefix !== undefined && local.startsWith(prefix) ? local.slice(prefix.length) : imported.get(local),
    localName: (name) =>
      [...imported].find(([, each]) => each === name)?.[0] ??
      (prefix === undefined ? undefined : prefix + name),
    last: named.at(-1),
  };
}

const localOf = (specifier: SyntaxNode): string => (specifier["local"] as SyntaxNode)["name"] as string;

/** A name with its dots: `Key`, `partita.Key`. */
export function nameOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "Identifier":
      return node["name"] as string;
    case "MemberExpression":
      return dotted(node["object"] as SyntaxNode, node["property"] as SyntaxNode);
    case "TSQualifiedName":
      return dotted(node["left"] as SyntaxNode, node["right"] as SyntaxNode);
    default:
      return undefined;
  }
}

function dotted(left: SyntaxNode, right: SyntaxNode): string | undefined {
  const [first, second] = [nameOf(left), nameOf(right)];
  return first !== undefined && second !== undefined ? `${first}.${second}` : undefined;
}
