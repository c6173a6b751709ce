import { emulatorAccount } from "./credentials/emulator-account.ts";

/** One of the services of a storage account, as settings and messages call it. */
export interface Service {
  readonly name: "table" | "queue" | "blob";
  /** How its settings in connection strings begin: `TableEndpoint`. */
  readonly setting: "Table" | "Queue" | "Blob";
  /** What opens it, for messages. */
  readonly opener: "openStorage" | "openQueues" | "openPageBlob";
  /** Where an emulator has it. */
  readonly emulator: string;
  /** The options by which emulators take a port: Azurite, and `partita serve` where it serves this. */
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

/** One of them at one address. */
export interface ServicePlace {
  readonly service: Service;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The proxy that requests go through, unless `NO_PROXY` excepts the host; for messages. */
  readonly proxy?: string;
}
