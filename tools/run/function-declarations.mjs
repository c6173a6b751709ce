import { parseAst } from "rolldown/parseAst";

/**
 * Writes the functions of a module's top level that are constants, `const f = (a) => …`, as declarations.
 *
 * A bundler that makes one file wraps each module that may be loaded late into a function, and leaves declarations outside of it.
 * V8 parses what is inside when the program starts and again when the module runs, which is a twentieth of a cold start.
 */
export const functionDeclarations = () => ({
  name: "function-declarations",
  renderChunk(code) {
    let written = "";
    let from = 0;
    for (const { start, end, declarations } of parseAst(code).body) {
      if (declarations?.length !== 1 || declarations[0].init?.type !== "ArrowFunctionExpression") continue;
      written += code.slice(from, start) + declarationOf(code, declarations[0]);
      from = end;
    }
    return written + code.slice(from);
  },
});

/** The arrow has no `this` and no `arguments`, since there are none at the top level. */
function declarationOf(code, { id, init: { async, params, body, start, end } }) {
  const [first, last] = [params[0], params.at(-1)];
  const list = first === undefined ? "" : code.slice(first.start, last.end);
  const afterArrow = code.indexOf("=>", last?.end ?? start) + "=>".length;
  const text = code.slice(afterArrow, end);
  return `${async ? "async " : ""}function ${id.name}(${list})${body.type === "BlockStatement" ? text : ` { return ${text.trim()}; }`}`;
}
