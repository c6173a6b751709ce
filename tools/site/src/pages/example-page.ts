import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "../workspace.ts";
import type { Page } from "./page.ts";

/** The page of an example: its description, the commands to run it, and its sources, the main one first. */
export function examplePage(folder: string): Page {
  const { name, description } = JSON.parse(readFileSync(join(workspace, folder, "package.json"), "utf8")) as {
    name: string;
    description: string;
  };
  const sources = globSync("src/**/*.ts", { cwd: join(workspace, folder) }).toSorted(mainFirst);
  const text = [
    `# ${titleOf(folder)}`,
    `${description.replace(/\.$/, "")}.`,
    "```sh\n" + `npx --yes pnpm@12 build\nnpx --yes pnpm@12 --filter ${name} start\n` + "```",
    ...sources.flatMap((source) => {
      const code = readFileSync(join(workspace, folder, source), "utf8");
      return [`## ${source.replaceAll("\\", "/")}`, "```ts\n" + code + "```"];
    }),
  ];
  return { source: folder, path: folder, text: `${text.join("\n\n")}\n` };
}

/** `examples/05-blog-comments`: Example: blog comments. */
const titleOf = (folder: string): string =>
  `Example: ${folder.replace(/^.*\/\d+-/, "").replaceAll("-", " ")}`;

const mainFirst = (a: string, b: string): number =>
  Number(b.endsWith("main.ts")) - Number(a.endsWith("main.ts")) || a.localeCompare(b);
