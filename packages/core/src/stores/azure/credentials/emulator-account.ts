/** The emulators' well-known account, which is public. Source: learn.microsoft.com "Use the Azurite emulator". */
export const emulatorAccount = {
  accountName: "devstoreaccount1",
  accountKey: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
  endpoint: "http://127.0.0.1:10002/devstoreaccount1",
  queueEndpoint: "http://127.0.0.1:10001/devstoreaccount1",
  blobEndpoint: "http://127.0.0.1:10000/devstoreaccount1",
} as const;
