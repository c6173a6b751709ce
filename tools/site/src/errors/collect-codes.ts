// Finds the codes of all errors in the sources of the packages: texts such as "key.too-long". Codes that are made of the
// answer of a service are listed in pages/service-codes.ts instead.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "../workspace.ts";
import { messageNextTo, messageUnder } from "./message-text.ts";
import { around, literalText, listOf, nameOf, type Node, parseNodes, quasis } from "./syntax.ts";

/** One place in the sources that makes an error, or names its code. */
export interface CodeUse {
  readonly code: string;
  /** The class of the error, if it is known here. */
  readonly className: string | undefined;
  /** The message with placeholders; empty if it is made elsewhere. */
  readonly message: string;
  /** Relative to the workspace. */
  readonly file: string;
  readonly line: number;
}

const codeForm = /^[a-z]+(?:-[a-z]+)?\.[a-z]+(?:-[a-z0-9]+)*$/;

/** Texts of the form of a code that are none: names of files and fields. */
const otherTexts =
  /^(?:odata|partita|azure|messaging|source|error)\.|^server\.(?:address|port)$|\.(?:json|html|db|md|ts|js)$/;
const realCodes: ReadonlySet<string> = new Set(["model.json"]);

/** All uses of codes in `packages/<name>/src`, in the order of the files. */
export function collectCodes(): CodeUse[] {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: workspace }).toSorted();
  return files.flatMap((file) => usesIn(file.replaceAll("\\", "/")));
}

function usesIn(file: string): CodeUse[] {
  const text = readFileSync(join(workspace, file), "utf8");
  if (!/["'`][a-z-]+\.[a-z$]|ServiceCode/.test(text)) return [];
  const nodes = parseNodes(text, file);
  return nodes.flatMap((node) =>
    codesOf(node, nodes).map(({ code, member }) => ({
      code,
      className: classOf(node),
      message: member === undefined ? messageNextTo(node, nodes) : messageUnder(member, nodes),
      file,
      line: text.slice(0, node.start).split("\n").length,
    })),
  );
}

/** A code, and the member of a union of texts that it is made of, if it is made of one. */
interface FoundCode {
  readonly code: string;
  readonly member?: string;
}

function codesOf(node: Node, nodes: readonly Node[]): FoundCode[] {
  if (node.type === "TSTypeAliasDeclaration") return serviceCodesOf(node);
  if (node.parent?.type === "TSLiteralType") return [];
  const text = literalText(node);
  if (text !== undefined) return isCode(text) ? [{ code: text }] : [];
  return node.type === "TemplateLiteral" ? codesOfTemplate(node, nodes) : [];
}

const isCode = (text: string): boolean =>
  codeForm.test(text) && (realCodes.has(text) || !otherTexts.test(text));

/** `conflict.${reason}`, if the type of `reason` is a union of texts in the same file. */
function codesOfTemplate(template: Node, nodes: readonly Node[]): FoundCode[] {
  const [start = "", end] = quasis(template);
  const [expression, ...others] = listOf(template, "expressions");
  if (!/^[a-z]+\.$/.test(start) || end !== "" || others.length > 0) return [];
  const name = nameOf(expression);
  const parameter = nodes.find(
    (node) => node.type === "Identifier" && nameOf(node) === name && hasType(node),
  );
  const type = (parameter?.["typeAnnotation"] as Node | undefined)?.["typeAnnotation"] as Node | undefined;
  const alias = nodes.find(
    (node) => node.type === "TSTypeAliasDeclaration" && nameOf(node["id"]) === nameOf(type?.["typeName"]),
  );
  return alias === undefined ? [] : textsOfUnion(alias).map((member) => ({ code: start + member, member }));
}

const hasType = (node: Node): boolean => Boolean(node["typeAnnotation"]);

/** The codes of the service that Partita's storages throw themselves: `EntityAlreadyExists`. */
const serviceCodesOf = (alias: Node): FoundCode[] =>
  nameOf(alias["id"])?.endsWith("ServiceCode") === true
    ? textsOfUnion(alias).map((member) => ({ code: codeOfService(member), member }))
    : [];

/** `EntityAlreadyExists` becomes `storage.entity-already-exists`, as in the sources. */
const codeOfService = (code: string): string =>
  `storage.${code.replaceAll(/[A-Z]/g, (letter, at: number) => (at === 0 ? "" : "-") + letter.toLowerCase())}`;

function textsOfUnion(alias: Node): string[] {
  const type = alias["typeAnnotation"] as Node;
  if (type.type !== "TSUnionType") return [];
  return listOf(type, "types").flatMap((each) => literalText(each["literal"] as Node) ?? []);
}

/** The class that a code is given to: of `new KeyError(code)`, `KeyError.make(code)` or `super(code)`. */
function classOf(code: Node): string | undefined {
  const call = [...around(code)].find(({ type }) => type === "NewExpression" || type === "CallExpression");
  const callee = call?.["callee"] as Node | undefined;
  if (callee?.type === "Super")
    return nameOf([...around(code)].find(({ type }) => type === "ClassDeclaration")?.["id"]);
  const name = nameOf(callee?.type === "MemberExpression" ? callee["object"] : callee);
  return name !== undefined && /^[A-Z]\w*(?:Error|Refused|Taken)$/.test(name) ? name : undefined;
}
