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
import {
  bare,
  childrenOf,
  type Fixer,
  isFunction,
  type LintContext,
  type LintRule,
  type SyntaxNode,
} from "./syntax.ts";

/**
 * Finds JavaScript's operators on conditions. A condition is an object and always truthy, so `a || b` is just
 * `a`, and the query is wrong. The rule checks the callbacks of `where` and `whereKind`, and functions of
 * `Columns<…>`.
 */
export const noConditionOperators: LintRule = {
  meta: {
    type: "problem",
    fixable: "code",
    docs: {
      description: "Disallow JavaScript's operators between conditions of a query, because they drop some.",
    },
    messages: {
      combines: "{{operator}} keeps one of two conditions and drops the other. Write a.{{method}}(b).",
      negates: "! turns a condition into false. Write a.not().",
      compares: "{{operator}} compares the column itself, not its value. Write .{{method}}(value).",
      comparesCondition:
        "{{operator}} compares a condition, which is not a boolean. Remove the comparison, or write a.not().",
      chooses:
        "{{operator}} treats a condition as true. Choose by a value of your own, or write a.and(b).or(a.not().and(c)).",
      bareColumn:
        "{{operator}} treats a column as a condition. Compare it, as in .eq(true), or write .exists().",
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

/** The inline callback of `where(callback)` or `whereKind(Kind, callback)`. */
function callbackOf(call: SyntaxNode): SyntaxNode | undefined {
  const place = { where: 0, whereKind: 1 }[methodOf(call)?.name ?? ""];
  const callback = place === undefined ? undefined : (call["arguments"] as SyntaxNode[])[place];
  // A callback with a parameter of type `Columns<…>` is found by that type.
  return callback !== undefined && isFunction(callback) && !takesColumns(callback) ? callback : undefined;
}

/** Whether a function's first parameter is declared as `Columns<…>`. */
function takesColumns(node: SyntaxNode): boolean {
  const [parameter] = node["params"] as SyntaxNode[];
  const annotation = parameter?.["typeAnnotation"] as SyntaxNode | null | undefined;
  const type = annotation?.["typeAnnotation"] as SyntaxNode | undefined;
  return (type?.["typeName"] as SyntaxNode | undefined)?.["name"] === "Columns";
}

/**
 * The check of one callback. Errors about columns are reported only if the callback compares a column with a
 * method.
 */
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
      // Its arguments are values, where operators are correct.
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

  /** Visits statements in order, so constants are known to later statements. */
  #visitStatements(block: SyntaxNode, names: KnownNames): void {
    let known = names;
    for (const statement of block["body"] as SyntaxNode[]) {
      this.#visit(statement, known);
      if (statement.type === "VariableDeclaration" && statement["kind"] === "const")
        for (const each of statement["declarations"] as SyntaxNode[]) known = withConstant(known, each);
    }
  }

  /** Visits the operands of a reported expression. Its own conditions were reported with it. */
  #visitOperands(node: SyntaxNode, names: KnownNames): void {
    for (const operand of childrenOf(node, this.#context)) {
      const inner = bare(operand);
      if (isMeantAsCondition(inner, names) && isOperator(inner)) this.#visitOperands(inner, names);
      else this.#visit(operand, names);
    }
  }

  /** Reports an operator that is used on conditions or columns. */
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

  /** Reports a choice by a condition or a column, because the first branch is always taken. */
  #isChosenBy(node: SyntaxNode, operator: string, names: KnownNames): boolean {
    const test = node["test"] as SyntaxNode;
    if (isMeantAsCondition(test, names)) return this.#report(node, "chooses", { operator }, undefined);
    return isColumn(test, names) && this.#hold(node, "bareColumn", { operator });
  }

  #report(node: SyntaxNode, messageId: string, data: object, names: KnownNames | undefined): true {
    const text = names && rewritten(node, names, this.#context);
    const fix = (fixer: Fixer): unknown => fixer.replaceText(node, text as string);
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

/** A condition, or operators on conditions that are meant as a condition. */
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

/** The method for the swapped comparison: `3 < b.rating` is `b.rating.gt(3)`. */
const mirrored = (method: string): string => ({ gt: "lt", ge: "le", lt: "gt", le: "ge" })[method] ?? method;
