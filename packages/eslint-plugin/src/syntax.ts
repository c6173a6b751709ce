/** The parts of a syntax node that the rules use. ESLint and oxlint pass such nodes to rules. */
export interface SyntaxNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The linter's functions for a rule. */
export interface LintContext {
  readonly sourceCode: {
    readonly visitorKeys: Readonly<Record<string, readonly string[]>>;
    getText(node: never): string;
    getCommentsInside(node: never): readonly unknown[];
  };
  report(problem: never): void;
}

/** A rule, in the form that ESLint and oxlint share. */
export interface LintRule {
  readonly meta: {
    readonly type: "problem";
    readonly fixable?: "code";
    readonly hasSuggestions?: true;
    readonly docs: { readonly description: string };
    readonly messages: Readonly<Record<string, string>>;
    readonly schema: [];
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- each linter has types of its own for these
  create(context: any): Record<string, (node: any) => void>;
}

/** The direct children of a node. */
export function childrenOf(node: SyntaxNode, context: LintContext): SyntaxNode[] {
  const keys = context.sourceCode.visitorKeys[node.type] ?? [];
  return keys.flatMap((key) => node[key]).filter(isNode);
}

/** An expression without parentheses and type annotations: `(a)`, `a as T`, `a!`. */
export function bare(node: SyntaxNode): SyntaxNode {
  return wrappers.has(node.type) ? bare(node["expression"] as SyntaxNode) : node;
}

/** The name after the dot of `object.name`. Undefined for any other expression. */
export function memberName(node: SyntaxNode): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  const property = node["property"] as SyntaxNode;
  if (node["computed"] !== true) return property["name"] as string | undefined;
  return typeof property["value"] === "string" ? property["value"] : undefined;
}

export const isFunction = (node: SyntaxNode): boolean =>
  node.type === "ArrowFunctionExpression" ||
  node.type === "FunctionExpression" ||
  node.type === "FunctionDeclaration";

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value;

const wrappers = new Set([
  "ParenthesizedExpression",
  "ChainExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
]);

/** Changes the text of a file. */
export interface Fixer {
  replaceText(node: SyntaxNode, text: string): unknown;
  insertTextAfter(node: SyntaxNode, text: string): unknown;
}
