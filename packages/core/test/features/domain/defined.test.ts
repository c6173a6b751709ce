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
import { describe } from "vitest";

describe("orders and lines of defineEntity, in memory", () => {
  for (const cases of [listCases, familyCases, includeCases, workCases, assignCases])
    cases(() => openDomain("memory:", definedClasses), definedClasses);
});

describe("embedded objects of defineEntity, in memory", () => {
  embeddedCases(
    () => openDomain("memory:", definedClasses, embeddedTables(definedEmbedded)),
    definedEmbedded,
  );
});

describe("key formats and converters of defineEntity, in memory", () => {
  formatCases(() => openDomain("memory:", definedClasses, formatTables));
});

describe("values that fill themselves, of defineEntity, in memory", () => {
  for (const cases of [fillCases, generatedKeyCases, saveTimeCases])
    cases(() => openDomain("memory:", definedClasses, Object.values(definedFills)), definedFills);
});

describe("questions over key order, of defineEntity, in memory", () => {
  for (const cases of [sliceCases, keyOrderCases])
    cases(() => openDomain("memory:", definedClasses, Object.values(definedLogs)), definedLogs);
});

describe("scopes of contexts, of defineEntity, in memory", () => {
  scopeCases(() => openDomain("memory:", definedClasses, Object.values(definedScopes)), definedScopes);
});

describe("sorted queries and many rows, of defineEntity, in memory", () => {
  for (const cases of [sortCases, bigSortCases, findManyCases, removeCases])
    cases(() => openDomain("memory:", definedClasses, Object.values(definedProducts)), definedProducts);
  familySortCases(() => openDomain("memory:", definedClasses), definedClasses);
});
