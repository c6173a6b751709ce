import { join } from "node:path";
import { rolldown } from "rolldown";
import { siteFolder } from "../../workspace.ts";

/**
 * Nothing but scripts that are part of the page: no requests, no storage of the site. Compiled text is the visitor's
 * program.
 */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; form-action 'none'";

/** The page of the sandboxed frame, with the engine that its workers run. */
export async function sandboxPage(): Promise<string> {
  const [engine, frame] = await Promise.all([bundled("engine/main.ts"), bundled("sandbox/frame.ts")]);
  return `<!doctype html>
<meta charset="utf-8">
<title>Partita playground: sandbox</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<script type="text/plain" id="engine">${inElement(engine)}</script>
<script>${inElement(frame)}</script>
`;
}

/**
 * A script of the playground as one text, made from the sources of the packages.
 *
 * @throws Error if it needs a module of Node
 */
async function bundled(source: string): Promise<string> {
  const bundle = await rolldown({
    input: join(siteFolder, "src/playground", source),
    platform: "browser",
    resolve: { conditionNames: ["@partita/source", "import", "default"] },
    external: /^(node:|undici$)/,
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code, imports }] = output;
  if (imports.length > 0) throw new Error(`The playground would need ${imports.join(", ")} in a browser.`);
  return code;
}

/** Text that ends no script element. */
const inElement = (code: string): string => code.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
