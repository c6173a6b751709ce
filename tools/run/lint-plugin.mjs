// Rules of this workspace for oxlint.

const text = /\binstanceof\b/;
const message =
  "instanceof denies instances of another copy of the package or of another realm: use is() of the class, or errors/built-ins.ts.";

/** Refuses the operator, and code in texts that has it. */
const noInstanceof = {
  create(context) {
    const check = (node, source) => text.test(source) && context.report({ node, message });
    return {
      BinaryExpression: (node) => check(node, node.operator),
      Literal: (node) => check(node, typeof node.value === "string" ? node.value : ""),
      TemplateElement: (node) => check(node, node.value.raw),
    };
  },
};

export default { meta: { name: "workspace" }, rules: { "no-instanceof": noInstanceof } };
