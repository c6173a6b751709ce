import { bare, memberName, type SyntaxNode } from "./syntax.ts";

/** The meaning of the names in a `where` callback. */
export interface KnownNames {
  /** The callback's parameter. Its members are columns. */
  readonly columns: ReadonlySet<string>;
  /** Single columns, from destructuring or a constant. */
  readonly column: ReadonlySet<string>;
  /** Constants that hold a condition. */
  readonly condition: ReadonlySet<string>;
}

/** The names that a callback's first parameter declares: `b`, or `{ channel, rating }`. */
export function namesOfParameter(parameter: SyntaxNode): KnownNames {
  const names = namesIn(parameter);
  return parameter.type === "ObjectPattern"
    ? { columns: new Set(), column: names, condition: new Set() }
    : { columns: names, column: new Set(), condition: new Set() };
}

/** Adds the name of a constant, if its value is a column or a condition. */
export function withConstant(names: KnownNames, declarator: SyntaxNode): KnownNames {
  const id = declarator["id"] as SyntaxNode;
  const init = declarator["init"] as SyntaxNode | null;
  if (init === null) return names;
  const added = [...namesIn(id)];
  if (id.type === "ObjectPattern" && isColumns(init, names))
    return { ...names, column: new Set([...names.column, ...added]) };
  if (id.type !== "Identifier") return names;
  if (isColumn(init, names)) return { ...names, column: new Set([...names.column, ...added]) };
  if (isCondition(init, names)) return { ...names, condition: new Set([...names.condition, ...added]) };
  return names;
}

/** The names that are still visible in an inner function. */
export function without(names: KnownNames, parameters: readonly SyntaxNode[]): KnownNames {
  const hidden = new Set(parameters.flatMap((parameter) => [...namesIn(parameter)]));
  if (hidden.size === 0) return names;
  const visible = (known: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...known].filter((name) => !hidden.has(name)));
  return {
    columns: visible(names.columns),
    column: visible(names.column),
    condition: visible(names.condition),
  };
}

/** `b.rating`, or a name for it. */
export function isColumn(expression: SyntaxNode, names: KnownNames): boolean {
  const node = bare(expression);
  if (node.type === "Identifier") return names.column.has(node["name"] as string);
  return memberName(node) !== undefined && isColumns(node["object"] as SyntaxNode, names);
}

/** Whether an expression is certainly a condition: a comparison, joined conditions, or a choice of two. */
export function isCondition(expression: SyntaxNode, names: KnownNames): boolean {
  const node = bare(expression);
  switch (node.type) {
    case "Identifier":
      return names.condition.has(node["name"] as string);
    case "ConditionalExpression":
      return (
        isCondition(node["consequent"] as SyntaxNode, names) &&
        isCondition(node["alternate"] as SyntaxNode, names)
      );
    case "CallExpression":
      return isComparison(node, names) || isJoined(node, names);
    default:
      return false;
  }
}

/** `b.rating.eq(3)`: a method of a column. */
export function isComparison(node: SyntaxNode, names: KnownNames): boolean {
  const method = methodOf(node);
  return method !== undefined && comparisons.has(method.name) && isColumn(method.object, names);
}

/** `a.or(b)`: a method of a condition. */
function isJoined(node: SyntaxNode, names: KnownNames): boolean {
  const method = methodOf(node);
  return method !== undefined && joins.has(method.name) && isCondition(method.object, names);
}

/** A call's method and the object it is called on. */
export function methodOf(
  node: SyntaxNode,
): { readonly name: string; readonly object: SyntaxNode } | undefined {
  if (node.type !== "CallExpression") return undefined;
  const callee = bare(node["callee"] as SyntaxNode);
  const name = memberName(callee);
  return name === undefined ? undefined : { name, object: callee["object"] as SyntaxNode };
}

const isColumns = (expression: SyntaxNode, names: KnownNames): boolean => {
  const node = bare(expression);
  return node.type === "Identifier" && names.columns.has(node["name"] as string);
};

/** The names that a parameter or a declared pattern binds. */
function namesIn(pattern: SyntaxNode): Set<string> {
  switch (pattern.type) {
    case "Identifier":
      return new Set([pattern["name"] as string]);
    case "AssignmentPattern":
      return namesIn(pattern["left"] as SyntaxNode);
    case "RestElement":
      return namesIn(pattern["argument"] as SyntaxNode);
    case "ObjectPattern":
      return new Set(
        (pattern["properties"] as SyntaxNode[]).flatMap((property) => [
          ...namesIn(property.type === "Property" ? (property["value"] as SyntaxNode) : property),
        ]),
      );
    case "ArrayPattern":
      return new Set(
        (pattern["elements"] as (SyntaxNode | null)[]).flatMap((element) =>
          element === null ? [] : [...namesIn(element)],
        ),
      );
    default:
      return new Set();
  }
}

const comparisons = new Set(["eq", "ne", "gt", "ge", "lt", "le", "between", "in", "startsWith", "exists"]);
const joins = new Set(["and", "or", "not"]);
