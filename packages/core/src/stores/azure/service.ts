import { emulatorAccount } from "./credentials/emulator-account.ts";

/** One of the services of a storage account, with its names in settings and messages. */
export interface Service {
  readonly name: "table" | "queue" | "blob";
  /** The prefix of its settings in connection strings: `TableEndpoint`. */
  readonly setting: "Table" | "Queue" | "Blob";
  /** The function that opens it, for messages. */
  readonly opener: "openStorage" | "openQueues" | "openPageBlob";
  /** Its address in an emulator. */
  readonly emulator: string;
  /** The port options of emulators: Azurite's, and that of `partita serve` if it serves this service. */
  readonly portOptions: readonly [azurite: string, serve?: string];
}

export const tableService: Service = {
  name: "table",
  setting: "Table",
  opener: "openStorage",
  emulator: emulatorAccount.endpoint,
  portOptions: ["--tablePort", "--port"],
};

export const queueService: Service = {
  name: "queue",
  setting: "Queue",
  opener: "openQueues",
  emulator: emulatorAccount.queueEndpoint,
  portOptions: ["--queuePort", "--queue-port"],
};

export const blobService: Service = {
  name: "blob",
  setting: "Blob",
  opener: "openPageBlob",
  emulator: emulatorAccount.blobEndpoint,
  portOptions: ["--blobPort"],
};

/** A service at an address. */
export interface ServicePlace {
  readonly service: Service;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The proxy that requests go through, unless `NO_PROXY` lists the host; for messages. */
  readonly proxy?: string;
}
