import { isCondition, type KnownNames } from "./known-names.ts";
import { bare, type LintContext, type SyntaxNode } from "./syntax.ts";

/** The method for an operator between conditions. */
export const methodOfOperator: Readonly<Record<string, "and" | "or">> = {
  "||": "or",
  "&&": "and",
  "??": "or",
};

/**
 * Rewrites `||`, `&&` and `!` to methods of conditions: `a || !b` becomes `a.or(b.not())`.
 *
 * @returns undefined if an operand may not be a condition, for `??`, and if a comment would be lost
 */
export function rewritten(
  expression: SyntaxNode,
  names: KnownNames,
  context: LintContext,
): string | undefined {
  if (context.sourceCode.getCommentsInside(expression as never).length > 0) return undefined;
  return textOf(expression, names, context);
}

function textOf(expression: SyntaxNode, names: KnownNames, context: LintContext): string | undefined {
  const node = bare(expression);
  const receiver = (operand: unknown): string | undefined => {
    const text = textOf(operand as SyntaxNode, names, context);
    return text === undefined || isCallable(bare(operand as SyntaxNode)) ? text : `(${text})`;
  };
  if (node.type === "UnaryExpression" && node["operator"] === "!") {
    const operand = receiver(node["argument"]);
    return operand && `${operand}.not()`;
  }
  if (node.type === "LogicalExpression" && node["operator"] !== "??") {
    const [left, right] = [receiver(node["left"]), textOf(node["right"] as SyntaxNode, names, context)];
    if (left === undefined || right === undefined) return undefined;
    return `${left}.${methodOfOperator[node["operator"] as string]}(${right})`;
  }
  return isCondition(node, names) ? context.sourceCode.getText(node as never) : undefined;
}

/**
 * Whether a method call can follow the expression without parentheses. Everything except a choice becomes a
 * call.
 */
const isCallable = (node: SyntaxNode): boolean => node.type !== "ConditionalExpression";
