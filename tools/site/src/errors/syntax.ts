import { parseSync } from "oxc-parser";

/** A node of a syntax tree, with the node around it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly parent: Node | undefined;
  readonly [member: string]: unknown;
}

/** Parses TypeScript, and returns all nodes in the order of the text. @throws {Error} for a syntax error */
export function parseNodes(text: string, file: string): Node[] {
  const { program, errors } = parseSync(file, text, { preserveParens: false });
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("\n")}`);
  return below(program, undefined);
}

function below(value: unknown, parent: Node | undefined): Node[] {
  if (Array.isArray(value)) return value.flatMap((each) => below(each, parent));
  if (typeof value !== "object" || value === null) return [];
  if (!("type" in value)) return [];
  const node = Object.assign(value, { parent }) as unknown as Node;
  const members = Object.entries(node).filter(([name]) => name !== "parent");
  return [node, ...members.flatMap(([, member]) => below(member, node))];
}

/** The nodes around a node, the closest first. */
export function* around({ parent }: Node): Generator<Node> {
  for (let node = parent; node !== undefined; node = node.parent) yield node;
}

/** The text of a string literal, or of a template without expressions. */
export function literalText(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  return node.type === "TemplateLiteral" && listOf(node, "expressions").length === 0
    ? quasis(node).join("")
    : undefined;
}

export const quasis = (template: Node): string[] =>
  listOf(template, "quasis").map((part) => (part["value"] as { cooked: string }).cooked);

export const listOf = (node: Node, member: string): Node[] => node[member] as Node[];

export const nameOf = (node: unknown): string | undefined =>
  (node as Node | undefined)?.["name"] as string | undefined;
