import { assignCases } from "@partita/test-support/domain/assign-cases";
import { embeddedCases } from "@partita/test-support/domain/embedded-cases";
import { embeddedTables } from "@partita/test-support/domain/embedded-classes";
import { familyCases } from "@partita/test-support/domain/family-cases";
import { fillCases } from "@partita/test-support/domain/fill-cases";
import { generatedKeyCases } from "@partita/test-support/domain/generated-key-cases";
import { includeCases } from "@partita/test-support/domain/include-cases";
import { keyOrderCases } from "@partita/test-support/domain/key-order-cases";
import { listCases } from "@partita/test-support/domain/list-cases";
import { findManyCases, removeCases } from "@partita/test-support/domain/many-rows-cases";
import { saveTimeCases } from "@partita/test-support/domain/save-time-cases";
import { sliceCases } from "@partita/test-support/domain/slice-cases";
import { scopeCases } from "@partita/test-support/domain/scope-cases";
import { bigSortCases, familySortCases, sortCases } from "@partita/test-support/domain/sort-cases";
import { openDomain } from "@partita/test-support/domain/store";
import { workCases } from "@partita/test-support/domain/work-cases";
import { describe } from "vitest";
import { decoratedClasses } from "../fixtures/domain.ts";
import { decoratedEmbedded } from "../fixtures/embedded.ts";
import { decoratedFills } from "../fixtures/fills.ts";
import { decoratedLogs } from "../fixtures/logs.ts";
import { decoratedScopes } from "../fixtures/scopes.ts";
import { decoratedProducts } from "../fixtures/products.ts";

describe("orders and lines with standard decorators, in memory", () => {
  for (const cases of [listCases, familyCases, includeCases, workCases, assignCases])
    cases(() => openDomain("memory:", decoratedClasses), decoratedClasses);
});

describe("embedded objects with standard decorators, in memory", () => {
  embeddedCases(
    () => openDomain("memory:", decoratedClasses, embeddedTables(decoratedEmbedded)),
    decoratedEmbedded,
  );
});

describe("values that fill themselves, with standard decorators, in memory", () => {
  for (const cases of [fillCases, generatedKeyCases, saveTimeCases])
    cases(() => openDomain("memory:", decoratedClasses, Object.values(decoratedFills)), decoratedFills);
});

describe("questions over key order, with standard decorators, in memory", () => {
  for (const cases of [sliceCases, keyOrderCases])
    cases(() => openDomain("memory:", decoratedClasses, Object.values(decoratedLogs)), decoratedLogs);
});

describe("scopes of contexts, with standard decorators, in memory", () => {
  scopeCases(() => openDomain("memory:", decoratedClasses, Object.values(decoratedScopes)), decoratedScopes);
});

describe("sorted queries and many rows, with standard decorators, in memory", () => {
  for (const cases of [sortCases, bigSortCases, findManyCases, removeCases])
    cases(() => openDomain("memory:", decoratedClasses, Object.values(decoratedProducts)), decoratedProducts);
  familySortCases(() => openDomain("memory:", decoratedClasses), decoratedClasses);
});
