import { join } from "node:path";
import type { Plugin } from "vitest/config";

const workspace = join(import.meta.dirname, "../..");
const opens = join(workspace, "packages/core/src/stores/open-storage.ts");
const support = join(workspace, "packages/core/test/support");
const declaration = "export async function openStorage(";

/** Wraps every storage that tests open as a user's code would: whatever they show then goes through the public port. */
export const wrappedStorages = (): Plugin =>
  replaceOpenStorage(
    "wrapped-storages",
    `
import { wrapped } from ${JSON.stringify(join(support, "wrapped-storage.ts"))};
export const openStorage = async (...args: Parameters<typeof openOwn>) => wrapped(await openOwn(...args));
`,
  );

/** Opens tables of PostgreSQL where tests open the memory store. */
export const postgresStorages = (): Plugin =>
  replaceOpenStorage(
    "postgres-storages",
    `
import { openInPostgres } from ${JSON.stringify(join(support, "postgres-storage.ts"))};
export const openStorage = async (...args: Parameters<typeof openOwn>) => openInPostgres(openOwn, ...args);
`,
  );

/** @param code - declares another `openStorage`, which may call `openOwn` */
const replaceOpenStorage = (name: string, code: string): Plugin => ({
  name: `partita:${name}`,
  enforce: "pre",
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id === opens ? false : undefined)),
  transform(own, id) {
    if (id !== opens) return undefined;
    if (!own.includes(declaration)) throw new Error(`${opens} does not declare openStorage as expected.`);
    return { code: own.replace(declaration, "async function openOwn(") + code, map: null };
  },
});
