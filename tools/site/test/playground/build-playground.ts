import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { playgroundPage, withPlayground } from "../../src/playground/playground-page.ts";
import { sandboxPage } from "../../src/playground/sandbox/sandbox-page.ts";
import { siteFolder } from "../../src/workspace.ts";

/** Builds a site that has the playground alone, as `pnpm docs:build` does. The other pages take a minute. */
export async function buildPlayground(): Promise<{ readonly dist: string; readonly remove: () => void }> {
  const folder = join(siteFolder, "temp/playground-test");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, ".vitepress/theme"), { recursive: true });
  mkdirSync(join(folder, "pages/public"), { recursive: true });
  writeFileSync(
    join(folder, ".vitepress/config.ts"),
    `export default { srcDir: "pages", ignoreDeadLinks: true };`,
  );
  writeFileSync(
    join(folder, ".vitepress/theme/index.ts"),
    `export { default } from "../../../../.vitepress/theme/index.ts";`,
  );
  writeFileSync(join(folder, "pages/playground.md"), withPlayground(playgroundPage));
  writeFileSync(join(folder, "pages/public/playground-sandbox.html"), await sandboxPage());
  await build(folder, { outDir: join(folder, "dist") });
  return { dist: join(folder, "dist"), remove: () => rmSync(folder, { recursive: true }) };
}
