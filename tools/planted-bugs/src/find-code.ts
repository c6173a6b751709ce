import { parseSync } from "oxc-parser";

/** A node of a syntax tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A position in a source text, and the text of each placeholder there. */
export interface Found {
  readonly node: Node;
  readonly bindings: ReadonlyMap<string, string>;
}

const options = { preserveParens: false } as const;

/** Parses TypeScript, with JSX if the file name has it. @throws Error if the text has a syntax error */
export function parse(text: string, file = "source.ts"): Node {
  const { program, errors } = parseSync(file, text, options);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return program as unknown as Node;
}

/** Parses code with placeholders: a statement if it ends with a semicolon, otherwise an expression. */
export function parsePattern(code: string): Node {
  const isStatement = code.trimEnd().endsWith(";");
  const program = parse(`async () => { ${isStatement ? code : `(${code});`} };`);
  const wrapper = first(program["body"]);
  const statement = first(((wrapper["expression"] as Node)["body"] as Node)["body"]);
  return isStatement ? statement : (statement["expression"] as Node);
}

function first(nodes: unknown): Node {
  const [only, ...others] = nodes as readonly Node[];
  if (only === undefined || others.length > 0)
    throw new Error("A pattern must be one statement or one expression.");
  return only;
}

/** Finds all code in `scope` that matches a pattern. With names `"any"`, names in the source may differ. */
export function findCode(
  pattern: Node,
  scope: Node,
  text: string,
  names: "equal" | "any" = "equal",
): Found[] {
  return nodesBelow(scope).flatMap((node) => {
    const bindings = new Map<string, string>();
    return isMatch(pattern, node, { text, names, bindings }) ? [{ node, bindings }] : [];
  });
}

/** Names and texts of a pattern. A source without one of them cannot match. */
export function wordsIn(pattern: Node): string[] {
  return nodesBelow(pattern).flatMap((node) => {
    if (placeholderOf(node) !== undefined) return [];
    const word = isName(node) ? node["name"] : node["value"];
    return typeof word === "string" && /^[\w$-]+$/.test(word) ? [word] : [];
  });
}

/** Finds functions and methods by their name, `#name` for private methods. */
export function findFunctions(name: string, program: Node): Node[] {
  return nodesBelow(program).filter((node) => {
    if (node.type === "FunctionDeclaration") return nameOf(node["id"]) === name;
    if (node.type === "MethodDefinition") return nameOf(node["key"]) === name;
    if (node.type !== "VariableDeclarator") return false;
    return (node["init"] as Node | null)?.type === "ArrowFunctionExpression" && nameOf(node["id"]) === name;
  });
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "PrivateIdentifier"
    ? `#${String(node["name"])}`
    : (node["name"] as string | undefined);
}

function nodesBelow(node: Node): Node[] {
  const found = [node];
  for (const member of Object.values(node))
    for (const child of Array.isArray(member) ? member : [member])
      if (isNode(child)) found.push(...nodesBelow(child));
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";

/** Members for the position and form of code, not its meaning. */
const ofForm = new Set(["start", "end", "range", "loc", "raw", "shorthand", "parent"]);

interface Search {
  readonly text: string;
  readonly names: "equal" | "any";
  readonly bindings: Map<string, string>;
}

function isMatch(pattern: unknown, found: unknown, search: Search): boolean {
  if (Array.isArray(pattern))
    return (
      Array.isArray(found) &&
      found.length === pattern.length &&
      pattern.every((one, i) => isMatch(one, found[i], search))
    );
  // A syntax tree has null or no member for absent code.
  if (!isNode(pattern)) return (pattern ?? undefined) === (found ?? undefined);
  if (!isNode(found)) return false;
  const placeholder = placeholderOf(pattern);
  if (placeholder !== undefined) return bind(placeholder, found, search);
  if (pattern.type !== found.type) return false;
  if (search.names === "any" && isName(pattern))
    return bind(`name ${String(pattern["name"])}`, found, search);
  const members = new Set(
    [...Object.keys(pattern), ...Object.keys(found)].filter((name) => !ofForm.has(name)),
  );
  return [...members].every((name) => isMatch(pattern[name], found[name], search));
}

/** A placeholder matches the same code wherever it is repeated. */
function bind(placeholder: string, found: Node, { text, bindings }: Search): boolean {
  const code = text.slice(found.start, found.end);
  const bound = bindings.get(placeholder);
  bindings.set(placeholder, code);
  return bound === undefined || bound === code;
}

const isName = ({ type }: Node): boolean => type === "Identifier" || type === "PrivateIdentifier";

function placeholderOf(node: Node): string | undefined {
  if (node.type === "ExpressionStatement") return placeholderOf(node["expression"] as Node);
  const name = node.type === "Identifier" ? (node["name"] as string) : "";
  return /^\$[A-Z]+$/.test(name) ? name : undefined;
}
