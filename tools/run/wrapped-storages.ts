import { join } from "node:path";
import type { Plugin } from "vitest/config";

const workspace = join(import.meta.dirname, "../..");
const opens = join(workspace, "packages/core/src/stores/open-storage.ts");
const wrapper = join(workspace, "packages/core/test/support/wrapped-storage.ts");
const declaration = "export async function openStorage(";

/** Wraps every storage that tests open as a user's code would: whatever they show then goes through the public port. */
export const wrappedStorages = (): Plugin => ({
  name: "partita:wrapped-storages",
  enforce: "pre",
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id === opens ? false : undefined)),
  transform(code, id) {
    if (id !== opens) return undefined;
    if (!code.includes(declaration)) throw new Error(`${opens} does not declare openStorage as expected.`);
    const own = code.replace(declaration, "async function openOwn(");
    const wrapping = `
import { wrapped } from ${JSON.stringify(wrapper)};
export const openStorage = async (...args: Parameters<typeof openOwn>) => wrapped(await openOwn(...args));
`;
    return { code: own + wrapping, map: null };
  },
});
