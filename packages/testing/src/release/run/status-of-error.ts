import type { SeenStatus } from "../release-report.ts";

/** The status for an error of a read. */
export function statusOfError(code: string): SeenStatus {
  if (code.startsWith("kind.")) return "unknown kind";
  return code.startsWith("key.") ? "key changed" : "unreadable";
}
