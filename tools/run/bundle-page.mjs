import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Makes `dist/page` of a package that has a page for browsers in `src/page`: one script of `main.tsx` with all that it imports, one
 * style sheet of `styles/*.css` in the order of their names, and `index.html` and `icon.svg` as they are.
 */
export async function bundlePage(folder) {
  const source = join(folder, "src/page");
  if (!existsSync(source)) return;
  const target = join(folder, "dist/page");
  mkdirSync(target, { recursive: true });
  const build = await rolldown({
    input: join(source, "main.tsx"),
    platform: "browser",
    transform: {
      target: "es2022",
      define: { "process.env.NODE_ENV": '"production"' },
    },
    logLevel: "warn",
  });
  await build.write({ file: join(target, "main.js"), format: "esm", minify: true });
  await build.close();
  const sheets = readdirSync(join(source, "styles")).filter((name) => name.endsWith(".css"));
  const styles = sheets.toSorted().map((name) => readFileSync(join(source, "styles", name), "utf8"));
  writeFileSync(join(target, "main.css"), styles.join("\n"));
  for (const name of ["index.html", "icon.svg"]) cpSync(join(source, name), join(target, name));
}
