import { importedNames, type ImportedNames, nameOf } from "./imported-names.ts";
import type { Fixer, LintContext, LintRule, SyntaxNode } from "./syntax.ts";

/**
 * Requires `Key<…>` (or `GeneratedKey<…>`) as the type of properties with `@PartitionKey` or `@RowKey`.
 * TypeScript cannot see decorators, so without this type `find(Blog, {})` compiles and fails at run time.
 */
export const keyTypes: LintRule = {
  meta: {
    type: "problem",
    hasSuggestions: true,
    docs: {
      description:
        "Require the type Key<…> for decorated parts of a key, so calls without them don't compile.",
    },
    messages: {
      missing:
        "@{{decorator}} is on {{property}}, but its type is not Key<…>, so find() compiles without it. Write {{type}}.",
      wrap: "Write {{type}}.",
      wrapAndImport: "Write {{type}}, and import type Key from @partita/decorators.",
    },
    schema: [],
  },
  create(context: LintContext) {
    let names: ImportedNames | undefined;
    return {
      Program: (program: SyntaxNode) => void (names = importedNames(program, "@partita/decorators")),
      PropertyDefinition: (property: SyntaxNode) => {
        if (names !== undefined) check(property, names, context);
      },
    };
  },
};

function check(property: SyntaxNode, names: ImportedNames, context: LintContext): void {
  const decorator = keyDecoratorOf(property, names);
  const annotation = property["typeAnnotation"] as SyntaxNode | null | undefined;
  const type = annotation?.["typeAnnotation"] as SyntaxNode | undefined;
  if (decorator === undefined || (type !== undefined && isKey(type, names))) return;
  const written = names.localName("Key");
  const text = type === undefined ? "…" : context.sourceCode.getText(type as never);
  const wrapped = `${written ?? "Key"}<${text}>`;
  const name = (property["key"] as SyntaxNode)["name"] as string | undefined;
  const data = { decorator, property: name ?? "a property", type: wrapped };
  const suggest =
    type === undefined
      ? []
      : [
          {
            messageId: written === undefined ? "wrapAndImport" : "wrap",
            data: { type: wrapped },
            fix: (fixer: Fixer) => [
              fixer.replaceText(type, wrapped),
              ...(written === undefined && names.last !== undefined
                ? [fixer.insertTextAfter(names.last, ", type Key")]
                : []),
            ],
          },
        ];
  context.report({ node: type ?? property["key"], messageId: "missing", data, suggest } as never);
}

/** The key that a property is a part of. Constant parts are left out, because they need no value. */
function keyDecoratorOf(property: SyntaxNode, names: ImportedNames): string | undefined {
  for (const { expression } of (property["decorators"] ?? []) as { expression: SyntaxNode }[]) {
    if (expression.type !== "CallExpression") continue;
    const name = names.importedName(nameOf(expression["callee"] as SyntaxNode));
    const [format] = expression["arguments"] as SyntaxNode[];
    if ((name === "PartitionKey" || name === "RowKey") && !isLiteral(format)) return name;
  }
  return undefined;
}

/** `constant("Settings")`. With a format, it is the prefix of a value. */
const isLiteral = (format: SyntaxNode | undefined): boolean =>
  format?.type === "CallExpression" &&
  nameOf(format["callee"] as SyntaxNode)
    ?.split(".")
    .at(-1) === "constant" &&
  (format["arguments"] as SyntaxNode[]).length === 1;

/** `Key<…>`, or a type that `create()` may leave out: `GeneratedKey<…>` and `ScopedKey<…>`. */
const isKey = (type: SyntaxNode, names: ImportedNames): boolean =>
  type.type === "TSTypeReference" &&
  ["Key", "GeneratedKey", "ScopedKey"].includes(
    names.importedName(nameOf(type["typeName"] as SyntaxNode)) ?? "",
  );
