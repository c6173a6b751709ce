import { parseAst } from "rolldown/parseAst";

/**
 * Node prints the source line of an uncaught error above its message: in a bundle, several hundred characters that say nothing to
 * a user. It leaves out a line with this text, which Node made for its own modules. At the end of a line, it moves no column of a
 * source map.
 */
const mark = " //node-do-not-add-exception-line";

/** Marks the lines of a module that throw or make an error. */
export function hideSourceLines(code) {
  const nodes = nodesIn(parseAst(code));
  const texts = nodes.filter(({ type }) => type === "TemplateLiteral");
  const ends = nodes.filter(isError).map(({ start }) => endOfLine(code, start));
  const outside = [...new Set(ends)].filter(
    (end) => !texts.some((text) => text.start < end && end < text.end),
  );
  return outside
    .toSorted((a, b) => b - a)
    .reduce((marked, end) => marked.slice(0, end) + mark + marked.slice(end), code);
}

function nodesIn(node) {
  const parts = Object.values(node).flat();
  return [node, ...parts.filter((part) => typeof part?.type === "string").flatMap(nodesIn)];
}

/** Whether a node throws, or makes an instance of an error class. */
const isError = ({ type, callee }) =>
  type === "ThrowStatement" ||
  (type === "NewExpression" &&
    (callee.type === "ThisExpression" || /(?:Error|Refused|Taken|Fault)$/.test(callee.name)));

function endOfLine(code, at) {
  const end = code.indexOf("\n", at);
  return end === -1 ? code.length : end;
}
