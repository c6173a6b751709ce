import { createHmac } from "node:crypto";
import { sharedKeyText } from "@partita/core/protocol";
import { accountSas } from "@partita/account";
import type { RunningServer } from "../src/index.ts";

/** What a request is beside its path. */
interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer whose body was read. */
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The server, or several of them. */
type Asking = Pick<RunningServer, "url" | "account" | "key">;

export type Ask = (path: string, asked?: Asked) => Promise<Answered>;

/** Everything that an account may do, as the query of a URL. */
export const fullSas = ({ account, key }: Asking): string =>
  accountSas(
    { accountName: account, accountKey: key },
    { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 600_000), protocol: "https,http" },
  );

/** Asks a server in JSON, with a signature that allows everything, as a client that is not ours. */
export function asker(server: Asking): Ask {
  const sas = fullSas(server);
  return (path, asked) => send(`${server.url}${path}${path.includes("?") ? "&" : "?"}${sas}`, asked);
}

/** The same with the account's key, which alone may do what is done for a table's policies. */
export function ownerAsker({ url, account, key }: Asking): Ask {
  const hmacKey = Buffer.from(key, "base64");
  return (path, asked = {}) => {
    const address = new URL(url + path);
    const date = new Date().toUTCString();
    const comp = address.searchParams.get("comp");
    const text = sharedKeyText(account, "SharedKeyLite", {
      method: asked.method ?? "GET",
      path: address.pathname,
      contentType: "",
      date,
      ...(comp !== null && { comp }),
    });
    const signature = createHmac("sha256", hmacKey).update(text).digest("base64");
    const authorization = `SharedKeyLite ${account}:${signature}`;
    return send(address.href, { ...asked, headers: { authorization, "x-ms-date": date, ...asked.headers } });
  };
}

async function send(url: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: {
      "x-ms-version": "2019-02-02",
      accept: "application/json;odata=minimalmetadata",
      "content-type": "application/json",
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The code of an error in any of its forms. */
export const codeIn = (text: string): string | undefined =>
  /"code":"(\w+)"/.exec(text)?.[1] ?? /<(?:code|Code)>(\w+)</.exec(text)?.[1];
