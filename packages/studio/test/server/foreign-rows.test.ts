import { defineEntity, openStorage, text } from "@partita/core";
import { foreignValues } from "@partita/test-support/foreign-rows";
import { expect, test } from "vitest";
import type { Row } from "../../src/api/cells.ts";
import type { RowPage } from "../../src/api/queries.ts";
import { openApi } from "./open-api.ts";

class Foreign extends defineEntity({
  table: "Foreign",
  partitionKey: { p: text() },
  rowKey: { id: text() },
  properties: { value: text().named("Value") },
}) {}

test(`rows with ${foreignValues.length} values of other clients are all shown, by the table and by a class of text`, async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Foreign");
  for (const [i, { value, annotation }] of foreignValues.entries())
    await storage.write("Foreign", {
      type: "insert",
      entity: {
        PartitionKey: "p",
        RowKey: String(i),
        ...(annotation !== undefined && { "Value@odata.type": annotation }),
        Value: value,
      },
    });
  const api = await openApi(storage, [Foreign]);
  const ask = (className?: string): Promise<RowPage> =>
    api.ask("POST rows/page", { table: "Foreign", className, text: "", size: 1000, allowScan: true });
  const shown = ({ rowKey, className, cells }: Row): string => {
    const cell = cells.find(([name]) => name === "Value" || name === "value");
    return `${foreignValues[Number(rowKey)]?.name}: ${className ?? "as stored"}, ${cell?.[1]}`;
  };

  const stored = (await ask()).rows.map(shown);
  const byClass = (await ask("Foreign")).rows.map(shown);

  expect(stored.toSorted()).toEqual(
    foreignValues.map(({ name, edm }) => `${name}: as stored, ${edm.slice(4)}`).toSorted(),
  );
  expect(byClass.toSorted()).toEqual(
    foreignValues
      .map(({ name, edm }) =>
        edm === "Edm.String" ? `${name}: Foreign, String` : `${name}: as stored, ${edm.slice(4)}`,
      )
      .toSorted(),
  );
});
