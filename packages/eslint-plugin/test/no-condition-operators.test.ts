import { ESLint, type Linter, RuleTester } from "eslint";
import { describe, expect, test } from "vitest";
import partita from "../src/index.ts";

RuleTester.describe = describe;
RuleTester.it = test;
RuleTester.itOnly = test.only;

const wrong = (where: string, output: string | null, messageId = "combines") => ({
  name: where,
  code: `context.query(Blog).where(${where});`,
  output: output === null ? null : `context.query(Blog).where(${output});`,
  errors: [{ messageId }],
});

const right = (where: string) => ({ name: where, code: `context.query(Blog).where(${where});` });

new RuleTester({ languageOptions: { ecmaVersion: 2024, sourceType: "module" } }).run(
  "no-condition-operators",
  partita.rules["no-condition-operators"],
  {
    valid: [
      right(`(b) => b.channel.eq("x").or(b.rating.ge(3)).and(b.text.exists().not())`),
      // Values may be made in any way.
      right(`(b) => b.rating.eq(wanted || 0).and(b.text.startsWith(prefix && prefix.trim()))`),
      right(`(b) => b.rating.in(list.filter((n) => n > 3 && !seen.has(n)))`),
      right(`(b) => b.rating.between(low ?? 0, high === undefined ? 9 : high)`),
      // So may choices among conditions.
      right(`(b) => (wanted > 3 && !isAdmin ? b.rating.eq(wanted) : b.rating.exists())`),
      right(`(b) => { if (!isAdmin || wanted === 3) return b.a.eq(1); return b.b.eq(2); }`),
      right(`(b) => (text ? b.text.eq(text) : undefined) ?? b.rating.eq(3)`),
      right(`(b) => { let c = text && b.text.eq(text); return c ? c.and(b.a.eq(1)) : b.a.eq(1); }`),
      right(`(b) => [b.a.eq(1), ...(text !== undefined ? [b.text.eq(text)] : [])]`),
      right(`(b) => { const { rating } = filter; return rating > 3 || b.a.eq(rating); }`),
      right(`(b) => { const wanted = values.map((b) => b.rating || b.n > 3); return b.a.in(wanted); }`),
      right(`{ channel: x || "y" }`),
      right(`byRating`),
      // Other libraries have a where() with a callback.
      `knex("t").where((b) => b.where("x", 1).orWhere("y", 2) || b);`,
      `db.selectFrom("t").where((eb) => eb.or([eb("a", "=", 1)]) && !eb.exists(sub));`,
      `dexie.friends.where((friend) => friend.age > 18 && friend.name === "x");`,
      `array.filter((b) => b.rating.eq(3) || b.a.eq(2));`,
    ],
    invalid: [
      wrong(`b => b.a.eq(1) || b.b.eq(2)`, `b => b.a.eq(1).or(b.b.eq(2))`),
      wrong(`b => b.a.eq(1) && b.b.eq(2)`, `b => b.a.eq(1).and(b.b.eq(2))`),
      wrong(
        `b => b.a.eq(1) || b.b.eq(2) && !b.c.exists()`,
        `b => b.a.eq(1).or(b.b.eq(2).and(b.c.exists().not()))`,
      ),
      wrong(`b => b.a.eq(1) || b.b.eq(2) || b.c.eq(3)`, `b => b.a.eq(1).or(b.b.eq(2)).or(b.c.eq(3))`),
      wrong(`b => (b.a.eq(1) || b.b.eq(2)) && b.c.eq(3)`, `b => b.a.eq(1).or(b.b.eq(2)).and(b.c.eq(3))`),
      wrong(`b => b.a.eq(1) && (x ? b.b.eq(2) : b.c.eq(3))`, `b => b.a.eq(1).and(x ? b.b.eq(2) : b.c.eq(3))`),
      wrong(
        `b => (x ? b.b.eq(2) : b.c.eq(3)) && b.a.eq(1)`,
        `b => (x ? b.b.eq(2) : b.c.eq(3)).and(b.a.eq(1))`,
      ),
      wrong(`b => !b.a.eq(1)`, `b => b.a.eq(1).not()`, "negates"),
      wrong(`b => !(b.a.eq(1) || b.b.eq(2))`, `b => b.a.eq(1).or(b.b.eq(2)).not()`, "negates"),
      wrong(`b => b.a.eq(1).and(b.b.eq(2) || b.c.eq(3))`, `b => b.a.eq(1).and(b.b.eq(2).or(b.c.eq(3)))`),
      wrong(`b => [b.a.eq(1), b.b.eq(2) || b.c.eq(3)]`, `b => [b.a.eq(1), b.b.eq(2).or(b.c.eq(3))]`),
      wrong(`b => b?.a.eq(1) || b["b"].eq(2)`, `b => b?.a.eq(1).or(b["b"].eq(2))`),
      wrong(`({ a, b: c }) => a.eq(1) || c.eq(2)`, `({ a, b: c }) => a.eq(1).or(c.eq(2))`),
      wrong(
        `function (b) { return b.a.eq(1) || b.b.eq(2); }`,
        `function (b) { return b.a.eq(1).or(b.b.eq(2)); }`,
      ),
      wrong(
        `b => { const c = b.a, x = c.eq(1); const { d } = b; return x && d.eq(2); }`,
        `b => { const c = b.a, x = c.eq(1); const { d } = b; return x.and(d.eq(2)); }`,
      ),
      wrong(
        `b => names.map((n) => b.a.eq(n) || b.b.eq(n))`,
        `b => names.map((n) => b.a.eq(n).or(b.b.eq(n)))`,
      ),
      // Nothing is rewritten where it is not clear what the other side is, or a comment would be lost.
      wrong(`b => b.a.eq(1) && other`, null),
      wrong(`b => b.a.eq(1) ?? b.b.eq(2)`, null),
      wrong(`b => b.a.eq(1) || /* or */ b.b.eq(2)`, null),
      // Columns themselves.
      wrong(`b => b.a.eq(1).and(b.rating > 3)`, null, "compares"),
      wrong(`b => b.a.eq(1).and(3 !== b.rating)`, null, "compares"),
      wrong(`b => b.a.eq(1).and(!b.isOpen)`, null, "bareColumn"),
      wrong(`b => b.isOpen && b.a.eq(1)`, null, "bareColumn"),
      wrong(`b => b.a.eq(1) === true`, null, "comparesCondition"),
      // Choices.
      wrong(`b => b.a.eq(1) ? b.b.eq(2) : b.c.eq(3)`, null, "chooses"),
      wrong(`b => b.isOpen ? b.b.eq(2) : b.c.eq(3)`, null, "bareColumn"),
      wrong(`b => { if (b.isOpen) return b.b.eq(2); return b.c.eq(3); }`, null, "bareColumn"),
      {
        name: "whereKind()",
        code: `query.whereKind(Comment, (c) => c.a.eq(1) || c.b.eq(2));`,
        output: `query.whereKind(Comment, (c) => c.a.eq(1).or(c.b.eq(2)));`,
        errors: [{ messageId: "combines" }],
      },
    ],
  },
);

test("messages name the remedy", () => {
  const { messages } = partita.rules["no-condition-operators"].meta;

  expect(messages["combines"]).toBe(
    "{{operator}} keeps one of two conditions and drops the other. Write a.{{method}}(b).",
  );
  expect(messages["negates"]).toBe("! turns a condition into false. Write a.not().");
});

test("is a plugin for ESLint, with a configuration to take as it is", async () => {
  const plugin: ESLint.Plugin = partita;
  const recommended: Linter.Config = partita.configs.recommended;
  const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: [recommended] });

  const [result] = await eslint.lintText(
    "export const q = context.query(Blog).where((b) => b.a.eq(1) || b.b.eq(2));",
  );

  expect(plugin.meta?.name).toBe("@partita/eslint-plugin");
  expect(Object.keys(recommended.rules ?? {})).toEqual(
    Object.keys(partita.rules).map((name) => `@partita/${name}`),
  );
  expect(result?.messages).toMatchObject([
    {
      ruleId: "@partita/no-condition-operators",
      message: "|| keeps one of two conditions and drops the other. Write a.or(b).",
    },
  ]);
});
