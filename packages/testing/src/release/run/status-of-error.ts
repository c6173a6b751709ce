import type { SeenStatus } from "../release-report.ts";

/** What an error of a read means. */
export function statusOfError(code: string): SeenStatus {
  if (code.startsWith("kind.")) return "unknown kind";
  return code.startsWith("key.") ? "key changed" : "unreadable";
}
