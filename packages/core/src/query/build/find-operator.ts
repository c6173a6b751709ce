/*
 * `where` uses this file to check the source of its callback. In `a || b`, JavaScript never creates the second
 * condition, and in `b.isOpen && a` none on `isOpen`: neither a refused conversion nor the list of dropped conditions
 * shows that. It only checks callbacks that are one expression over `b.…`, since a miss is better than a false alarm.
 * The lint rule of `@partita/eslint-plugin` checks every form.
 */

/** The callback's parameter, which is group 1, and any text up to the searched position. */
const parameter = String.raw`^(?:async )?(?:function\b ?)?(?:[\w$]+ ?(?=\())?\(? ?([\w$]+)\b(?=[ ,)=])[^]*?`;
/** The text before a complete operand. After `&&` there may be a value that is chosen: `isAdmin && a || b`. */
const operand = String.raw`(?<=(?:=>|[([,?:={;]|\breturn|\|\||\?\?) ?!?)`;
/** The arguments of a call, with calls in them. */
const args = String.raw`\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)`;
const column = String.raw`\1\??\. ?[\w$]+`;
const compared = String.raw`${column} ?\??\.(?:eq|ne|gt|ge|lt|le|between|in|startsWith|exists)`;

/** `b.rating.eq(3) || b.isOpen.eq(true)` */
const joinedConditions = new RegExp(
  String.raw`${parameter}${operand}${compared}${args}(?: ?\.(?:and|or|not)${args})* ?(\|\||\?\?)[ (!]*${compared}\(`,
);
/** `b.isOpen && …`, unless the same column follows: `b.note && b.note.eq("x")` only checks that the column exists. */
const columnBefore = new RegExp(
  String.raw`${parameter}(?:${operand}|(?<=&& ?))(${column}) ?(&&|\|\||\?(?![.?])|[!=]==?)(?! ?\2)`,
);
/** `!b.isOpen`, `3 === b.rating` */
const columnAfter = new RegExp(String.raw`${parameter}([!=]==?|!) ?${column}(?![\w$(.]| ?\?\.)`);

const operators = /\|\||&&|[?!]|==/;
/** Code that may use a name to refer to something other than the parameter. */
const innerNames = /=>[^]*(?:=>|\bfunction\b)|\bfunction\b[^]*(?:=>|\bfunction\b)|\b(?:const|let|var)\b/;

/**
 * The JavaScript operator that a `where` callback's source uses on a condition or a column, if no other check finds it.
 */
export function findOperator(source: string): string | undefined {
  if (!operators.test(source) || innerNames.test(source)) return undefined;
  const text = source.replaceAll(/\s+/g, " ");
  return joinedConditions.exec(text)?.[2] ?? columnAfter.exec(text)?.[2] ?? columnBefore.exec(text)?.[3];
}
