import { escaped } from "@partita/core/keys";
import { FileError } from "../errors/file-error.ts";

/** Characters of an escaped path: the 512 of a key without the other parts of a small version's replaced block. */
const maxPathKey: number =
  512 - "old!".length - "!0000000001".length - "!0000000000000000000".length - "!0000000000000".length;

/** @throws FileError `file.path` */
export function checkPath(path: unknown): asserts path is string {
  if (typeof path !== "string")
    throw refused(`a path is a text, not ${path === null ? "null" : typeof path}`);
  const problem = problemOf(path);
  if (problem !== undefined) throw refused(`${JSON.stringify(path.slice(0, 80))} ${problem}`);
}

function problemOf(path: string): string | undefined {
  if (!path.startsWith("/")) return "does not start with /";
  if (path === "/" || path.endsWith("/")) return "ends with /, but folders are not stored";
  if (!path.isWellFormed()) return "has half of a surrogate pair";
  const segments = path.slice(1).split("/");
  if (segments.includes("")) return "has two / in a row";
  if (segments.includes(".") || segments.includes("..")) return "has the segment . or ..";
  const length = escaped.encode(path)?.length ?? 0;
  return length > maxPathKey
    ? `is too long: as a key it has ${length} characters, more than ${maxPathKey}`
    : undefined;
}

const refused = (why: string): FileError =>
  new FileError("file.path", `No file can have this path: ${why}. Paths look like "/logs/2026/app.log".`);

/** A bound of a range of paths: any text, such as a prefix. @throws FileError `file.path` */
export function checkBound(bound: unknown): asserts bound is string | undefined {
  if (bound === undefined || (typeof bound === "string" && bound.isWellFormed())) return;
  throw refused("a bound of a range of paths is a well-formed text");
}
