// Builds a site that has the playground alone, as `pnpm docs:build` does: the other pages take a minute. It is a process
// because VitePress prints, and Vue checks more in tests.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { playgroundPage, withPlayground } from "../../src/playground/playground-page.ts";
import { sandboxPage } from "../../src/playground/sandbox/sandbox-page.ts";

const [, , folder = ""] = process.argv;
const theme = "../../../../.vitepress/theme/index.ts";
mkdirSync(join(folder, ".vitepress/theme"), { recursive: true });
mkdirSync(join(folder, "pages/public"), { recursive: true });
writeFileSync(
  join(folder, ".vitepress/config.ts"),
  `export default { srcDir: "pages", ignoreDeadLinks: true };`,
);
writeFileSync(join(folder, ".vitepress/theme/index.ts"), `export { default } from "${theme}";`);
writeFileSync(join(folder, "pages/playground.md"), withPlayground(playgroundPage));
writeFileSync(join(folder, "pages/public/playground-sandbox.html"), await sandboxPage());
await build(folder, { outDir: join(folder, "dist") });
