import { ServiceFault } from "./service-fault.ts";

/**
 * The start of a query's next page: a storage's own token, and whether the page before it was left empty on purpose.
 */
export interface Position {
  readonly token?: string;
  readonly isSecond: boolean;
}

/** Prints a position in the service's form: a version, a length, and opaque text. */
export function printPosition({ token, isSecond }: Position): string {
  const text = Buffer.from(JSON.stringify([token ?? null, isSecond])).toString("base64url");
  return `1!${text.length}!${text}`;
}

/** @throws ServiceFault `InvalidInput` if the text is not a position of this server */
export function parsePosition(text: string): Position {
  const found = /^1!(\d{1,6})!([\w-]+)$/.exec(text);
  if (found === null || found[2]?.length !== Number(found[1])) throw new ServiceFault("InvalidInput");
  try {
    const position: unknown = JSON.parse(Buffer.from(found[2], "base64url").toString());
    const [token, isSecond] = Array.isArray(position) ? (position as unknown[]) : [];
    if ((token === null || typeof token === "string") && typeof isSecond === "boolean")
      return token === null ? { isSecond } : { token, isSecond };
  } catch {
    // Falls through to the refusal below.
  }
  throw new ServiceFault("InvalidInput");
}
