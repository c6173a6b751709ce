import {
  isColumn,
  isComparison,
  isCondition,
  type KnownNames,
  methodOf,
  namesOfParameter,
  withConstant,
  without,
} from "./known-names.ts";
import { methodOfOperator, rewritten } from "./rewrite.ts";
import { bare, childrenOf, isFunction, type LintContext, type LintRule, type SyntaxNode } from "./syntax.ts";

/**
 * Finds JavaScript's operators between and on conditions: a condition is data and always true, so that `a || b` is `a`,
 * and the query finds too little. Looks at the callbacks of `where` and `whereKind`, and at functions of `Columns<…>`.
 */
export const noConditionOperators: LintRule = {
  meta: {
    type: "problem",
    fixable: "code",
    docs: { description: "Disallow JavaScript's operators between conditions of a query, which drop some." },
    messages: {
      combines: "{{operator}} keeps one of two conditions and drops the other. Write a.{{method}}(b).",
      negates: "! makes false of a condition. Write a.not().",
      compares: "{{operator}} compares the column itself, not what it holds. Write .{{method}}(value).",
      comparesCondition:
        "{{operator}} compares a condition, which is no boolean. Leave the comparison out, or write a.not().",
      chooses:
        "{{operator}} takes a condition for true. Choose by a value of your own, or write a.and(b).or(a.not().and(c)).",
      bareColumn:
        "{{operator}} takes a column for a condition. Compare it, as in .eq(true), or write .exists().",
    },
    schema: [],
  },
  create(context: LintContext) {
    const check = (callback: SyntaxNode | undefined): void => {
      const [parameter] = (callback?.["params"] ?? []) as SyntaxNode[];
      if (callback !== undefined && parameter !== undefined)
        new CallbackCheck(context).run(callback["body"] as SyntaxNode, namesOfParameter(parameter));
    };
    const checkTyped = (node: SyntaxNode): void => {
      if (takesColumns(node)) check(node);
    };
    return {
      CallExpression: (node: SyntaxNode) => check(callbackOf(node)),
      ArrowFunctionExpression: checkTyped,
      FunctionExpression: checkTyped,
      FunctionDeclaration: checkTyped,
    };
  },
};

/** The callback of `where(callback)` or `whereKind(Kind, callback)`, written in place. */
function callbackOf(call: SyntaxNode): SyntaxNode | undefined {
  const place = { where: 0, whereKind: 1 }[methodOf(call)?.name ?? ""];
  const callback = place === undefined ? undefined : (call["arguments"] as SyntaxNode[])[place];
  // One whose parameter says its type is found by that.
  return callback !== undefined && isFunction(callback) && !takesColumns(callback) ? callback : undefined;
}

/** Whether a function's first parameter is declared as `Columns<…>`. */
function takesColumns(node: SyntaxNode): boolean {
  const [parameter] = node["params"] as SyntaxNode[];
  const annotation = parameter?.["typeAnnotation"] as SyntaxNode | null | undefined;
  const type = annotation?.["typeAnnotation"] as SyntaxNode | undefined;
  return (type?.["typeName"] as SyntaxNode | undefined)?.["name"] === "Columns";
}

/** The check of one callback. What is wrong with columns counts only where one is compared by a method. */
class CallbackCheck {
  readonly #context: LintContext;
  readonly #columnProblems: object[] = [];
  #hasComparison = false;

  constructor(context: LintContext) {
    this.#context = context;
  }

  run(body: SyntaxNode, names: KnownNames): void {
    this.#visit(body, names);
    if (this.#hasComparison)
      for (const problem of this.#columnProblems) this.#context.report(problem as never);
  }

  #visit(node: SyntaxNode, names: KnownNames): void {
    if (isComparison(node, names)) {
      // Its arguments are values, among which every operator means what it says.
      this.#hasComparison = true;
      return;
    }
    if (isFunction(node)) return this.#visitAll(node, without(names, node["params"] as SyntaxNode[]));
    if (node.type === "BlockStatement") return this.#visitStatements(node, names);
    if (this.#isReported(node, names)) return this.#visitOperands(node, names);
    this.#visitAll(node, names);
  }

  #visitAll(node: SyntaxNode, names: KnownNames): void {
    for (const child of childrenOf(node, this.#context)) this.#visit(child, names);
  }

  /** In order, so that constants are known to what follows them. */
  #visitStatements(block: SyntaxNode, names: KnownNames): void {
    let known = names;
    for (const statement of block["body"] as SyntaxNode[]) {
      this.#visit(statement, known);
      if (statement.type === "VariableDeclaration" && statement["kind"] === "const")
        for (const each of statement["declarations"] as SyntaxNode[]) known = withConstant(known, each);
    }
  }

  /** Goes on below a reported expression, whose own conditions were reported with it. */
  #visitOperands(node: SyntaxNode, names: KnownNames): void {
    for (const operand of childrenOf(node, this.#context)) {
      const inner = bare(operand);
      if (isMeantAsCondition(inner, names) && isOperator(inner)) this.#visitOperands(inner, names);
      else this.#visit(operand, names);
    }
  }

  /** Reports a use of an operator that means something else than it says. */
  #isReported(node: SyntaxNode, names: KnownNames): boolean {
    const operator = node["operator"] as string;
    switch (node.type) {
      case "LogicalExpression":
        if (isMeantAsCondition(node["left"] as SyntaxNode, names))
          return this.#report(node, "combines", { operator, method: methodOfOperator[operator] }, names);
        return isColumn(node["left"] as SyntaxNode, names) && this.#hold(node, "bareColumn", { operator });
      case "UnaryExpression":
        if (operator !== "!") return false;
        if (isMeantAsCondition(node["argument"] as SyntaxNode, names))
          return this.#report(node, "negates", {}, names);
        return (
          isColumn(node["argument"] as SyntaxNode, names) && this.#hold(node, "bareColumn", { operator })
        );
      case "BinaryExpression": {
        const sides = [node["left"] as SyntaxNode, node["right"] as SyntaxNode];
        const method = methodOfComparison[operator];
        if (method === undefined) return false;
        if (sides.some((side) => isMeantAsCondition(side, names)))
          return this.#report(node, "comparesCondition", { operator }, undefined);
        const [first, second] = sides.map((side) => isColumn(side, names));
        if (first !== true && second !== true) return false;
        return this.#hold(node, "compares", { operator, method: first === true ? method : mirrored(method) });
      }
      case "ConditionalExpression":
        return this.#isChosenBy(node, "?", names);
      case "IfStatement":
        return this.#isChosenBy(node, "if", names);
      default:
        return false;
    }
  }

  /** Reports a choice by a condition or a column, of which the first is always taken. */
  #isChosenBy(node: SyntaxNode, operator: string, names: KnownNames): boolean {
    const test = node["test"] as SyntaxNode;
    if (isMeantAsCondition(test, names)) return this.#report(node, "chooses", { operator }, undefined);
    return isColumn(test, names) && this.#hold(node, "bareColumn", { operator });
  }

  #report(node: SyntaxNode, messageId: string, data: object, names: KnownNames | undefined): true {
    const text = names && rewritten(node, names, this.#context);
    const fix = (fixer: { replaceText(node: SyntaxNode, text: string): unknown }): unknown =>
      fixer.replaceText(node, text as string);
    this.#context.report({ node, messageId, data, ...(text !== undefined && { fix }) } as never);
    return true;
  }

  #hold(node: SyntaxNode, messageId: string, data: object): true {
    this.#columnProblems.push({ node, messageId, data });
    return true;
  }
}

const isOperator = (node: SyntaxNode): boolean =>
  node.type === "LogicalExpression" || (node.type === "UnaryExpression" && node["operator"] === "!");

/** A condition, or operators on conditions, which are meant as one. */
function isMeantAsCondition(expression: SyntaxNode, names: KnownNames): boolean {
  const node = bare(expression);
  if (node.type === "LogicalExpression") return isMeantAsCondition(node["left"] as SyntaxNode, names);
  if (node.type === "UnaryExpression" && node["operator"] === "!")
    return isMeantAsCondition(node["argument"] as SyntaxNode, names);
  return isCondition(node, names);
}

const methodOfComparison: Readonly<Record<string, string>> = {
  "===": "eq",
  "==": "eq",
  "!==": "ne",
  "!=": "ne",
  ">": "gt",
  ">=": "ge",
  "<": "lt",
  "<=": "le",
};

/** The method for the other side: `3 < b.rating` is `b.rating.gt(3)`. */
const mirrored = (method: string): string => ({ gt: "lt", ge: "le", lt: "gt", le: "ge" })[method] ?? method;
