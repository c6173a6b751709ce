import type { Program } from "../program.ts";

const prefix = "#code=";

/** The end of an address that holds a program. */
export async function hashOf({ model, query, rows }: Program): Promise<string> {
  const text = new Blob([JSON.stringify([model, query, rows])]);
  const packed = text.stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return prefix + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Whether the end of an address should hold a program. */
export const isShared = (hash: string): boolean => hash.startsWith(prefix);

/** The program that an address holds; undefined if it holds none. */
export async function programIn(hash: string): Promise<Program | undefined> {
  if (!isShared(hash)) return undefined;
  try {
    const binary = atob(hash.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const fields: unknown = JSON.parse(await new Response(text).text());
    if (!Array.isArray(fields) || fields.some((field) => typeof field !== "string")) return undefined;
    const [model = "", query = "", rows = ""] = fields as string[];
    return { model, query, rows };
  } catch {
    // A part of the address is missing.
    return undefined;
  }
}
