import type { PageBlobServer } from "./blobs/page-blob-server.ts";
import type { PageBlobServerOptions } from "./blobs/page-blob-server-options.ts";

/**
 * Starts a service of page blobs in memory, for tests of what reads or writes their page ranges: the REST protocol of
 * Azure Blob Storage for containers, page blobs, their pages, sizes, snapshots and page ranges, with its signatures and
 * error codes. It keeps which pages are written, and not what is in them: reading it is answered with 501. It listens on
 * 127.0.0.1 unless `host` says otherwise.
 *
 * @throws OptionError `server.option`; Error `EADDRINUSE` when the port is taken
 */
export async function startPageBlobServer(options: PageBlobServerOptions = {}): Promise<PageBlobServer> {
  // Most tests use something else of this package, and do not load the server for it.
  const { servePageBlobs } = await import("./blobs/serve-page-blobs.ts");
  return servePageBlobs(options);
}
