import { accountSas } from "@partita/core/rest";
import type { TableServer } from "../../src/index.ts";

/** What a request is beside its path. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer whose body was read. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Ask = (path: string, asked?: Asked) => Promise<Answered>;

/** Everything that an account may do, as the query of a URL. */
export const fullSas = ({ account, key }: TableServer): string =>
  accountSas(
    { accountName: account, accountKey: key },
    { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 600_000), protocol: "https,http" },
  );

/** Asks a server in JSON, with a signature that allows everything, as a client that is not ours. */
export function asker(server: TableServer): Ask {
  const sas = fullSas(server);
  return async (path, { method = "GET", headers = {}, body } = {}) => {
    const answer = await fetch(`${server.url}${path}${path.includes("?") ? "&" : "?"}${sas}`, {
      method,
      headers: {
        "x-ms-version": "2019-02-02",
        accept: "application/json;odata=minimalmetadata",
        "content-type": "application/json",
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
}

/** The code of an error in any of its forms. */
export const codeIn = (text: string): string | undefined =>
  /"code":"(\w+)"/.exec(text)?.[1] ?? /<(?:code|Code)>(\w+)</.exec(text)?.[1];
