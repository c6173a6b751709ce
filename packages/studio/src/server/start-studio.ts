import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { EntityClass, TableStorage } from "@partita/core";
import { loadCore, type StudioCore } from "./core.ts";
import { readPageFiles } from "./http/page-files.ts";
import { requestListener } from "./http/request-listener.ts";
import { Jobs } from "./jobs/jobs.ts";
import { readOnlyStorage } from "./read-only-storage.ts";
import { changingRoutes, type Parts, routesOf } from "./routes.ts";
import { RowQueries } from "./rows/query-rows.ts";
import { StagedChanges } from "./staged/staged-changes.ts";
import { Catalog } from "./tables/catalog.ts";

/** Options of a studio. */
export interface StudioOptions {
  /** It stays open when the studio is closed. */
  readonly storage: TableStorage;
  /** Entity classes of one table or several. Rows of other tables are shown as stored. */
  readonly classes?: readonly EntityClass[] | undefined;
  /** Refuses every change of the storage. */
  readonly readOnly?: boolean | undefined;
  /** From 0 to 65535. 0, the default, chooses a free port. */
  readonly port?: number | undefined;
  /** The core that declared the classes, if it is not the one of this package. */
  readonly core?: StudioCore | undefined;
}

/** A studio that is served on this machine. */
export interface Studio extends AsyncDisposable {
  /**
   * The page's address. It ends with the token of the page. Anyone with the address can read and change the
   * storage.
   */
  readonly url: string;
  readonly port: number;
  /** Stops jobs and closes all connections. Unsaved edits are lost. */
  close(): Promise<void>;
}

/**
 * Serves a page that shows and edits the tables of a storage. It listens on 127.0.0.1 only, for clients that
 * have its address.
 *
 * @throws Error with the system's code if the port is not available: `EADDRINUSE`
 */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { storage, classes = [], readOnly: isReadOnly = false, port: asked = 0 } = options;
  const core = options.core ?? (await loadCore());
  const files = await readPageFiles();
  const shown = isReadOnly ? readOnlyStorage(core, storage) : storage;
  const parts = makeParts(new Catalog(core, shown, { classes, isReadOnly }));
  const server = createServer();
  const port = await listen(server, asked);
  const [token, pageKey] = [secret(), secret()];
  const routes = routesOf(parts);
  const address = { port, token, pageKey };
  server.on("request", requestListener({ address, files, routes, changing: changingRoutes, isReadOnly }));
  const close = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await ended;
    await parts.jobs.close();
  };
  const url = `http://127.0.0.1:${port}/${pageKey}/#${token}`;
  return { url, port, close, [Symbol.asyncDispose]: close };
}

const makeParts = (catalog: Catalog): Parts => ({
  catalog,
  rows: new RowQueries(catalog),
  staged: new StagedChanges(catalog),
  jobs: new Jobs(catalog),
});

/** 256 random bits, as text for a URL. */
const secret = (): string => randomBytes(32).toString("base64url");

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
