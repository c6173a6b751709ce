import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { isAccountKey } from "@partita/core/protocol";
import { emulatorAccount } from "@partita/core/rest";
import type { TableServerOptions, TlsCertificate } from "@partita/server";
import { UsageError } from "../session/usage-error.ts";

/** The settings of a command line. */
export interface ServeSettings {
  /** For `openStorage`. */
  readonly target: string;
  readonly server: TableServerOptions & { readonly host: string; readonly key: string };
  /** How long the servers still accept requests after a signal. */
  readonly drainMs: number;
  /** Port of queues. Undefined to serve none. */
  readonly queuePort: number | undefined;
  /**
   * Whether the key is the emulator's, which may be printed. Any other key must stay out of the output,
   * because logs are stored.
   */
  readonly isKeyPublic: boolean;
}

/** The emulator's ports, which clients use by default. */
const emulatorPort = Number(new URL(emulatorAccount.endpoint).port);
const emulatorQueuePort = 10_001;

/** Options as given. */
export interface ServeOptions {
  readonly storage?: string;
  readonly host?: string;
  readonly port?: number;
  readonly queuePort?: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly throttle?: number;
  readonly drainMs?: number;
  readonly account?: string;
  readonly key?: string;
  readonly allowHttp?: boolean;
  /** `false` for `--no-queues`. */
  readonly queues?: boolean;
}

/** Combines and checks the options. @throws UsageError */
export async function readServeOptions(options: ServeOptions): Promise<ServeSettings> {
  const { storage: target = "memory:", host = "127.0.0.1", port = emulatorPort, throttle, key } = options;
  const { account = emulatorAccount.accountName, allowHttp = false } = options;
  if (key !== undefined && !isAccountKey(key))
    throw new UsageError(
      "--key takes an account key in base64: the complete key, including any = at its end.",
    );
  const tls = await readCertificate(options.tlsCert, options.tlsKey);
  if (!isLoopback(host)) checkPublic(host, tls !== undefined || allowHttp, key !== undefined);
  return {
    target,
    server: {
      host,
      port,
      account,
      key: key ?? emulatorAccount.accountKey,
      allowHttp,
      ...(tls !== undefined && { tls }),
      ...(throttle !== undefined && { throttle }),
    },
    drainMs: options.drainMs ?? 0,
    queuePort: queuePortOf(options, port),
    isKeyPublic: key === undefined,
  };
}

/** If tables have their own port, queues use a free one. @throws UsageError */
function queuePortOf({ queues = true, queuePort }: ServeOptions, port: number): number | undefined {
  if (queues) return queuePort ?? (port === emulatorPort ? emulatorQueuePort : 0);
  if (queuePort === undefined) return undefined;
  throw new UsageError("--queue-port and --no-queues contradict each other. Remove one of them.");
}

/** Whether only this machine can reach a server at that host. */
const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** @throws UsageError for a host that other machines can reach without a key and a certificate */
function checkPublic(host: string, isAllowed: boolean, hasKey: boolean): void {
  const reached = `--host ${host} can be reached by other machines, and`;
  if (!isAllowed)
    throw new UsageError(
      `${reached} http lets them read everything that is sent. Add --tls-cert and --tls-key, listen on 127.0.0.1, or add --allow-http on a private network.`,
    );
  if (!hasKey) throw new UsageError(`${reached} the emulator's key is public. Set another key with --key.`);
}

/** @throws UsageError if one of the two files is missing or cannot be read */
async function readCertificate(
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<TlsCertificate | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError(
      "--tls-cert and --tls-key need each other: the certificate and its private key, in PEM.",
    );
  return { cert: await readPem("--tls-cert", certFile), key: await readPem("--tls-key", keyFile) };
}

async function readPem(option: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${option} cannot be read (${code}): ${file}`, { cause });
  }
}
