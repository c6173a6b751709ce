import type { Page } from "../pages/page.ts";
import { readExamples } from "./examples.ts";

/** The page as text, for the search and for readers of Markdown. */
export const playgroundPage: Page = {
  source: "tools/site/src/playground",
  path: "playground",
  text: `# Playground

Edit a model, a query and sample rows, and see the plan of the query, the keys of the rows, and the rows that it reads. It all runs in your browser, without a server. Classes are declared with \`defineEntity\`, because decorators need a compiler.
`,
};

/** The page with the playground itself. */
export function withPlayground({ text }: Page): string {
  const front = {
    layout: "page",
    sidebar: false,
    pageClass: "playground-page",
    examples: readExamples(),
  };
  return `---\n${JSON.stringify(front)}\n---\n\n${text}\n<Playground />\n`;
}

const block = /^<!-- playground: ([\w-]+(?:, [\w-]+)*) -->\n\n(```\w+\n[\s\S]*?^```\n)/gm;

/**
 * Adds links after blocks of code that the playground has: a comment before the block names the examples.
 *
 * @throws Error for a name that the playground lacks
 */
export function withPlaygroundLinks(text: string): string {
  return text.replaceAll(block, (_whole, names: string, code: string) => {
    const examples = readExamples();
    const links = names.split(", ").map((name) => {
      const found = examples.find((example) => example.name === name);
      if (found === undefined) throw new Error(`The playground has no example "${name}".`);
      return `[${found.title}](/playground#${name})`;
    });
    return `${code}\nOpen in the playground: ${links.join(" · ")}\n`;
  });
}
