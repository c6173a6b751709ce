import { methodOf } from "./known-names.ts";
import { bare, type Fixer, type LintContext, type LintRule, type SyntaxNode } from "./syntax.ts";

/**
 * Finds queries that are never read. `await query` alone sends no request, and gives the query instead of its
 * entities. A query is immutable, so a condition has no effect if its result is dropped.
 */
export const usedQueries: LintRule = {
  meta: {
    type: "problem",
    hasSuggestions: true,
    docs: { description: "Require that a query is read, and that a narrowed query is used." },
    messages: {
      awaited: "await does not read a query, which is no promise. Write .toArray(), .first() or for await.",
      dropped: "{{method}}() returns another query, which is dropped here. Assign it, or read it.",
      addToArray: "Add .toArray().",
    },
    schema: [],
  },
  create(context: LintContext) {
    /** Constants that hold a query. */
    const names = new Set<string>();
    const isQuery = (node: SyntaxNode): boolean => queryMethodOf(node, names) !== undefined;
    return {
      VariableDeclarator: (node: SyntaxNode) => {
        const [id, init] = [node["id"] as SyntaxNode, node["init"] as SyntaxNode | null];
        if (init !== null && id.type === "Identifier" && isQuery(init)) names.add(id["name"] as string);
      },
      AwaitExpression: (node: SyntaxNode) => {
        const query = node["argument"] as SyntaxNode;
        if (!isQuery(query)) return;
        const suggest = [
          { messageId: "addToArray", fix: (fixer: Fixer) => fixer.insertTextAfter(query, ".toArray()") },
        ];
        context.report({ node, messageId: "awaited", suggest } as never);
      },
      ExpressionStatement: (node: SyntaxNode) => {
        const method = queryMethodOf(node["expression"] as SyntaxNode, names);
        if (method !== undefined) context.report({ node, messageId: "dropped", data: { method } } as never);
      },
    };
  },
};

/**
 * The last method of a chain that starts with `context.query(…)`, or with a name for such a chain, if the result is
 * still a query.
 */
function queryMethodOf(expression: SyntaxNode, names: ReadonlySet<string>): string | undefined {
  const node = bare(expression);
  const method = methodOf(node);
  if (method === undefined) return undefined;
  if (method.name === "query") return startsQuery(node) ? method.name : undefined;
  if (!narrowing.has(method.name)) return undefined;
  const before = bare(method.object);
  const isNamed = before.type === "Identifier" && names.has(before["name"] as string);
  return isNamed || queryMethodOf(before, names) !== undefined ? method.name : undefined;
}

/** Whether a call of `query` gets a class, or a list of them. Other libraries take a text there: `client.query("…")`. */
function startsQuery(call: SyntaxNode): boolean {
  const [first, ...others] = call["arguments"] as SyntaxNode[];
  if (first === undefined || others.length > 0) return false;
  const name = first.type === "Identifier" ? (first["name"] as string) : "";
  return /^[A-Z]/.test(name) || first.type === "ArrayExpression";
}

/** The methods that return another query. */
const narrowing = new Set([
  "where",
  "whereKind",
  "include",
  "filter",
  "take",
  "sortBy",
  "filterInMemory",
  "inRowKeyOrder",
  "reverse",
  "unreadableRows",
  "mergeOption",
  "via",
  "fresh",
  "select",
  "scan",
]);
