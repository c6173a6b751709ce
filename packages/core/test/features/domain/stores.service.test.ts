import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { definedClasses } from "@partita/test-support/domain/classes";
import { assignCases } from "@partita/test-support/domain/assign-cases";
import { familyCases } from "@partita/test-support/domain/family-cases";
import { includeCases } from "@partita/test-support/domain/include-cases";
import { listCases } from "@partita/test-support/domain/list-cases";
import { openDomain } from "@partita/test-support/domain/store";
import { workCases } from "@partita/test-support/domain/work-cases";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer, type TableServer } from "@partita/server";
import { afterAll, beforeAll, describe } from "vitest";

/** The cases over a storage that is started once for all of them. */
function casesOver(target: () => string): void {
  for (const cases of [listCases, familyCases, includeCases, workCases, assignCases])
    cases(() => openDomain(target(), definedClasses), definedClasses);
}

describe("orders and lines in a file", () => {
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  casesOver(() => `file:${folder.file("orders.db")}`);
});

describe("orders and lines over Azurite", () => {
  let azurite: Azurite;
  beforeAll(async () => {
    azurite = await startAzurite();
  });
  afterAll(() => azurite.stop());

  casesOver(() => azurite.connectionString);
});

describe("orders and lines over the table server", () => {
  let server: TableServer;
  beforeAll(async () => {
    server = await startTableServer();
  });
  afterAll(() => server.close());

  casesOver(() => server.connectionString);
});
