import { isFull } from "@partita/test-support/effort";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { definedClasses } from "@partita/test-support/domain/classes";
import { assignCases } from "@partita/test-support/domain/assign-cases";
import { embeddedCases } from "@partita/test-support/domain/embedded-cases";
import { definedEmbedded, embeddedTables } from "@partita/test-support/domain/embedded-classes";
import { familyCases } from "@partita/test-support/domain/family-cases";
import { fillCases } from "@partita/test-support/domain/fill-cases";
import { definedFills } from "@partita/test-support/domain/fill-classes";
import { formatCases, formatTables } from "@partita/test-support/domain/format-cases";
import { generatedKeyCases } from "@partita/test-support/domain/generated-key-cases";
import { includeCases } from "@partita/test-support/domain/include-cases";
import { keyOrderCases } from "@partita/test-support/domain/key-order-cases";
import { listCases } from "@partita/test-support/domain/list-cases";
import { findManyCases, removeCases } from "@partita/test-support/domain/many-rows-cases";
import { definedProducts } from "@partita/test-support/domain/product-classes";
import { saveTimeCases } from "@partita/test-support/domain/save-time-cases";
import { definedLogs } from "@partita/test-support/domain/log-classes";
import { scopeCases } from "@partita/test-support/domain/scope-cases";
import { definedScopes } from "@partita/test-support/domain/scope-classes";
import { bigSortCases, familySortCases, sortCases } from "@partita/test-support/domain/sort-cases";
import { openDomain } from "@partita/test-support/domain/store";
import { sliceCases } from "@partita/test-support/domain/slice-cases";
import { workCases } from "@partita/test-support/domain/work-cases";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer, type TableServer } from "@partita/server";
import { afterAll, beforeAll, describe } from "vitest";

/** The cases over a storage that is started once for all of them. */
function casesOver(target: () => string): void {
  for (const cases of [listCases, familyCases, includeCases, workCases, assignCases])
    cases(() => openDomain(target(), definedClasses), definedClasses);
  formatCases(() => openDomain(target(), definedClasses, formatTables));
  embeddedCases(() => openDomain(target(), definedClasses, embeddedTables(definedEmbedded)), definedEmbedded);
  for (const cases of [fillCases, generatedKeyCases, saveTimeCases])
    cases(() => openDomain(target(), definedClasses, Object.values(definedFills)), definedFills);
  for (const cases of [sliceCases, keyOrderCases])
    cases(() => openDomain(target(), definedClasses, Object.values(definedLogs)), definedLogs);
  scopeCases(() => openDomain(target(), definedClasses, Object.values(definedScopes)), definedScopes);
  for (const cases of [sortCases, bigSortCases, findManyCases, removeCases])
    cases(() => openDomain(target(), definedClasses, Object.values(definedProducts)), definedProducts);
  familySortCases(() => openDomain(target(), definedClasses), definedClasses);
}

describe("domain classes in a file", () => {
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  casesOver(() => `file:${folder.file("orders.db")}`);
});

describe.runIf(isFull)("domain classes over Azurite", () => {
  let azurite: Azurite;
  beforeAll(async () => {
    azurite = await startAzurite();
  });
  afterAll(() => azurite.stop());

  casesOver(() => azurite.connectionString);
});

describe("domain classes over the table server", () => {
  let server: TableServer;
  beforeAll(async () => {
    server = await startTableServer();
  });
  afterAll(() => server.close());

  casesOver(() => server.connectionString);
});
