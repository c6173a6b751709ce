import { OptionError } from "@partita/core";
import { openServed, startServer } from "../http/start-server.ts";
import { signatureKey } from "../authorization/signature-key.ts";
import { ServiceSettings } from "../settings/service-settings.ts";
import { probeSettings } from "../settings/settings-table.ts";
import { blobProtocol } from "./blob-protocol.ts";
import { type BlobResource, parseBlobResource } from "./blob-resource.ts";
import type { BlobService } from "./blob-service.ts";
import { BlobStore, isPages } from "./blob-store.ts";
import type { PageBlobContent, PageBlobServer } from "./page-blob-server.ts";
import { checkPageBlobServerOptions, type PageBlobServerOptions } from "./page-blob-server-options.ts";

/**
 * Starts a page blob service in memory, for tests of code that reads or writes page ranges. It implements the REST
 * protocol of Azure Blob Storage for containers, page blobs, their pages, sizes, snapshots and page ranges, with
 * signatures and error codes. It stores which pages are written, but not their content: it responds to reads of content
 * with 501. It listens on 127.0.0.1 unless you set `host`.
 *
 * @throws OptionError `server.option`; Error `EADDRINUSE` if the port is in use
 */
export async function startPageBlobServer(options: PageBlobServerOptions = {}): Promise<PageBlobServer> {
  const checked = checkPageBlobServerOptions(options);
  const { account, key, scheme, clock, maxRangesPerResponse } = checked;
  const now = (): number => clock.now();
  const storage = await openServed(checked);
  const blobs = new BlobStore(now);
  const service: BlobService = {
    blobs,
    maxRangesPerResponse,
    settings: new ServiceSettings(storage, blobSettings, now),
    probe: (signal) => probeSettings(storage, signal),
    account,
    key: signatureKey(key),
    scheme,
    now,
  };
  const server = await startServer("blob", service, blobProtocol(service), storage, checked);
  return Object.assign(server, {
    putPageBlob(name: string, content: PageBlobContent): string {
      putPageBlob(blobs, name, content);
      return `${server.url}/${name.split("/").map(encodeURIComponent).join("/")}`;
    },
  });
}

const blobSettings = {
  properties: "blob-properties",
  policies: "blob-policies",
  permissions: "racwdl",
} as const;

function putPageBlob(blobs: BlobStore, name: string, { size, ranges = [] }: PageBlobContent): void {
  const resource = resourceOf(name);
  if (resource?.type !== "blob") throw invalid('a name such as "container/name"');
  if (!isPages(size)) throw invalid("a size that is a multiple of 512");
  const { container, blob } = resource;
  if (!blobs.hasContainer(container)) blobs.createContainer(container);
  blobs.create(container, blob, size);
  blobs.write(container, blob, (pages) => {
    for (const range of ranges) {
      const isComplete =
        isPages(range.start) && isPages(range.end + 1) && range.start <= range.end && range.end < size;
      if (!isComplete) throw invalid("ranges of whole pages within the size");
      pages.write(range);
    }
  });
}

function resourceOf(name: string): BlobResource | undefined {
  try {
    return parseBlobResource(`/${name.split("/").map(encodeURIComponent).join("/")}`);
  } catch {
    return undefined;
  }
}

const invalid = (takes: string): OptionError =>
  new OptionError("server.option", `putPageBlob(name, content) takes ${takes}.`, {
    call: "putPageBlob(name, content)",
  });
