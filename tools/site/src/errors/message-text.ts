import { around, literalText, listOf, nameOf, type Node, quasis } from "./syntax.ts";

/**
 * Reads the message next to an error's code: the first sentence among the arguments, array elements or object properties
 * after it. Expressions become placeholders, such as `<entity>`. Empty if the message is made elsewhere.
 */
export function messageNextTo(code: Node, nodes: readonly Node[]): string {
  const { parent } = code;
  if (parent === undefined) return "";
  const texts = siblingsAfter(code, parent).map((sibling) => textOf(sibling, nodes));
  return texts.find((text) => /\w+ \w+/.test(text)) ?? "";
}

/** The texts that objects of a file have under a name: `exists: "an entity with this key is stored already"`. */
export function messageUnder(name: string, nodes: readonly Node[]): string {
  const values = nodes.filter((node) => node.type === "Property" && nameOf(node["key"]) === name);
  const texts = values.flatMap((property) => {
    const value = property["value"] as Node;
    return value.type === "ArrayExpression" ? listOf(value, "elements") : [value];
  });
  const sentences = texts.map((value) => textOf(value, nodes)).filter((text) => /\w+ \w+/.test(text));
  return sentences
    .filter((text, i) => !sentences.some((other, j) => i !== j && other.includes(text)))
    .join(". ");
}

function siblingsAfter(code: Node, parent: Node): Node[] {
  if (parent.type === "Property" && parent["key"] === code) return [parent["value"] as Node];
  if (parent.type === "Property") {
    const properties = listOf(parent.parent as Node, "properties");
    return properties.filter((each) => each !== parent).map((each) => (each["value"] as Node | null) ?? each);
  }
  const members = (parent["arguments"] ?? parent["elements"]) as Node[] | undefined;
  return members?.slice(members.indexOf(code) + 1) ?? [];
}

function textOf(node: Node, nodes: readonly Node[], depth = 0): string {
  const literal = literalText(node);
  if (literal !== undefined) return literal;
  const inner = (each: unknown): string => textOf(each as Node, nodes, depth + 1);
  if (depth > 4) return "";
  switch (node.type) {
    case "TemplateLiteral": {
      const expressions = listOf(node, "expressions");
      return quasis(node)
        .map((part, i) =>
          i === 0 ? part : `${placeholder(expressions[i - 1] as Node, nodes, depth)}${part}`,
        )
        .join("");
    }
    case "BinaryExpression":
      return node["operator"] === "+" ? inner(node["left"]) + inner(node["right"]) : "";
    case "ConditionalExpression":
      return inner(node["consequent"]);
    case "Identifier": {
      const value = valueOf(node, nodes);
      return value === undefined ? placeholderName(node) : inner(value);
    }
    default:
      return "";
  }
}

/** A short constant is written out; anything else becomes its name. */
function placeholder(expression: Node, nodes: readonly Node[], depth: number): string {
  const value = expression.type === "Identifier" ? valueOf(expression, nodes) : undefined;
  const text = value === undefined ? undefined : textOf(value, nodes, depth + 1);
  return text === undefined || text === "" ? placeholderName(expression) : text;
}

function placeholderName(expression: Node): string {
  switch (expression.type) {
    case "Identifier":
      return `<${nameOf(expression)}>`;
    case "MemberExpression":
      return `<${nameOf(expression["property"]) ?? "…"}>`;
    case "CallExpression": {
      const [first] = listOf(expression, "arguments");
      return first === undefined ? "<…>" : placeholderName(first);
    }
    default:
      return "<…>";
  }
}

/** The initial value of a constant in a scope around its use. */
function valueOf(use: Node, nodes: readonly Node[]): Node | undefined {
  const scopes = new Set(around(use));
  const declared = nodes.filter(
    (node) =>
      node.type === "VariableDeclarator" &&
      nameOf(node["id"]) === nameOf(use) &&
      scopes.has(node.parent?.parent as Node),
  );
  return (declared.at(-1)?.["init"] as Node | null | undefined) ?? undefined;
}
