// pnpm docs:build, pnpm docs:dev: the documentation site, made of the guides, the examples and the sources.
import { rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, createServer } from "vitepress";
import { brokenLinks } from "./pages/links.ts";
import { readPages } from "./pages/read-pages.ts";
import { sandboxPage } from "./playground/sandbox/sandbox-page.ts";
import { writeReference } from "./reference.ts";
import { pagesFolder, siteFolder, workspace } from "./workspace.ts";
import { writePages } from "./write-pages.ts";
import { handOver } from "./written-pages.ts";

const usage = "Usage: pnpm docs:build [--base /folder/], or pnpm docs:dev [--port n]";
const { command, base, port } = argumentsOrEnd();

rmSync(pagesFolder, { recursive: true, force: true });
try {
  const pages = readPages();
  const broken = brokenLinks(pages);
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join("\n")}`);
  writePages(pages, pagesFolder);
  writeFileSync(join(pagesFolder, "public/playground-sandbox.html"), await sandboxPage());
  handOver({ pages, base });
  console.log("Reading the sources for the reference …"); // it takes a while, and says nothing of itself
  await writeReference(join(pagesFolder, "reference"));
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
if (command === "build") await build(siteFolder, { base }).catch(failed);
else await serve();

/** VitePress has listed what is wrong with pages; other errors have a message. */
function failed(error: unknown): never {
  console.error(messageOf(error));
  process.exit(1);
}

/** Serves the site on this machine, and takes over each change of a guide. */
async function serve(): Promise<void> {
  const server = await createServer(siteFolder, { base, port });
  await server.listen();
  server.printUrls();
  watch(join(workspace, "docs"), { recursive: true }, () => {
    try {
      writePages(readPages(), pagesFolder);
    } catch (error) {
      console.error(messageOf(error)); // a guide that is half written
    }
  });
}

function argumentsOrEnd(): { command: "build" | "dev"; base: string; port: number } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { base: { type: "string", default: "/" }, port: { type: "string", default: "5173" } },
    });
    const [named = ""] = positionals;
    if (named !== "build" && named !== "dev") throw new Error(`There is no command "${named}".`);
    if (!/^\/(?:[\w.-]+\/)*$/.test(values.base))
      throw new Error("--base begins and ends with a slash: /partita/");
    if (!/^\d{1,5}$/.test(values.port)) throw new Error("--port takes a number.");
    return { command: named, base: values.base, port: Number(values.port) };
  } catch (error) {
    console.error(`${messageOf(error)}\n${usage}`);
    process.exit(2);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
