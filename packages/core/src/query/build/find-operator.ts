/*
 * `where` asks this about the source of its callback. Of `a || b`, JavaScript never makes the second condition, and of
 * `b.isOpen && a` none on `isOpen`: neither a refused conversion nor the list of dropped conditions shows that. Only callbacks that
 * are one expression over `b.…` are looked at, since a miss is better than a false alarm; the lint rule of
 * `@partita/eslint-plugin` reads every form.
 */

/** The callback's parameter, which is group 1, and anything up to the place that is looked for. */
const parameter = String.raw`^(?:async )?(?:function\b ?)?(?:[\w$]+ ?(?=\())?\(? ?([\w$]+)\b(?=[ ,)=])[^]*?`;
/** What is before a complete operand. After `&&` it may be what is chosen: `isAdmin && a || b`. */
const operand = String.raw`(?<=(?:=>|[([,?:={;]|\breturn|\|\||\?\?) ?!?)`;
/** The arguments of a call, with calls in them. */
const args = String.raw`\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)`;
const column = String.raw`\1\??\. ?[\w$]+`;
const compared = String.raw`${column} ?\??\.(?:eq|ne|gt|ge|lt|le|between|in|startsWith|exists)`;

/** `b.rating.eq(3) || b.isOpen.eq(true)` */
const joinedConditions = new RegExp(
  String.raw`${parameter}${operand}${compared}${args}(?: ?\.(?:and|or|not)${args})* ?(\|\||\?\?)[ (!]*${compared}\(`,
);
/** `b.isOpen && …`, unless the same column follows: `b.note && b.note.eq("x")` only asks whether there is such a column. */
const columnBefore = new RegExp(
  String.raw`${parameter}(?:${operand}|(?<=&& ?))(${column}) ?(&&|\|\||\?(?![.?])|[!=]==?)(?! ?\2)`,
);
/** `!b.isOpen`, `3 === b.rating` */
const columnAfter = new RegExp(String.raw`${parameter}([!=]==?|!) ?${column}(?![\w$(.]| ?\?\.)`);

const operators = /\|\||&&|[?!]|==/;
/** Where a name may mean something else than the parameter. */
const innerNames = /=>[^]*(?:=>|\bfunction\b)|\bfunction\b[^]*(?:=>|\bfunction\b)|\b(?:const|let|var)\b/;

/** JavaScript's operator that a `where` callback's source uses on a condition or a column, of those that nothing else shows. */
export function findOperator(source: string): string | undefined {
  if (!operators.test(source) || innerNames.test(source)) return undefined;
  const text = source.replaceAll(/\s+/g, " ");
  return joinedConditions.exec(text)?.[2] ?? columnAfter.exec(text)?.[2] ?? columnBefore.exec(text)?.[3];
}
