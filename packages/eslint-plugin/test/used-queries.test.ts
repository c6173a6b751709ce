import { RuleTester } from "eslint";
import { describe, test } from "vitest";
import partita from "../src/index.ts";

RuleTester.describe = describe;
RuleTester.it = test;
RuleTester.itOnly = test.only;

const awaited = (code: string, output: string) => ({
  code,
  errors: [{ messageId: "awaited", suggestions: [{ messageId: "addToArray", output }] }],
});
const dropped = (code: string, method: string) => ({
  code,
  errors: [{ messageId: "dropped", data: { method } }],
});

new RuleTester({ languageOptions: { ecmaVersion: 2024, sourceType: "module" } }).run(
  "used-queries",
  partita.rules["used-queries"],
  {
    valid: [
      "const blogs = await context.query(Blog).where({ channel }).toArray();",
      "const blog = await context.query(Blog).first();",
      "for await (const blog of context.query(Blog).where({ channel })) use(blog);",
      "const query = context.query(Blog); const good = query.where({ rating: 5 }); await good.count();",
      "export const recent = () => context.query(Blog).take(5);",
      "const load = async () => context.query(Blog).where({ channel });",
      "let query = context.query(Blog); query = query.where({ channel });",
      // Other libraries.
      'await client.query("SELECT 1");',
      "await client.query(text, values);",
      "await client.query(Statement, values);",
      "await knex.where({ id: 1 });",
      "list.filter((one) => one).reverse();",
      "names.reverse();",
    ],
    invalid: [
      awaited(
        "const blogs = await context.query(Blog).where({ channel });",
        "const blogs = await context.query(Blog).where({ channel }).toArray();",
      ),
      awaited(
        "await this.context.query([Post, Comment]);",
        "await this.context.query([Post, Comment]).toArray();",
      ),
      awaited(
        "const query = context.query(Blog); const blogs = await query.take(5);",
        "const query = context.query(Blog); const blogs = await query.take(5).toArray();",
      ),
      dropped("const query = context.query(Blog); query.where({ rating: 5 });", "where"),
      dropped("const query = context.query(Blog).scan(); query.sortBy('rating').take(3);", "take"),
      dropped("context.query(Blog);", "query"),
    ],
  },
);
