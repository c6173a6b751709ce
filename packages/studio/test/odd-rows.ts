import type { TableStorage } from "@partita/core";
import type { StoredEntity, StoredValue } from "@partita/core/storage";

/** The values of property `i` of a wide row, by type. */
const values: readonly ((row: number, i: number) => Readonly<Record<string, StoredValue>>)[] = [
  (row, i) => ({ [`Text${i}`]: `text ${row}.${i}` }),
  (row, i) => ({ [`Count${i}`]: row * 7 - i }),
  (row, i) => ({
    [`Big${i}@odata.type`]: "Edm.Int64",
    [`Big${i}`]: String(9_007_199_254_740_993n + BigInt(row)),
  }),
  (row, i) => ({ [`Ratio${i}@odata.type`]: "Edm.Double", [`Ratio${i}`]: row / 8 + i + 0.5 }),
  (row, i) => ({ [`IsOn${i}`]: row % 2 === 0 }),
];

export const wideColumns = 250;

/** A table `Wide`, of rows with 250 properties of several types. */
export async function addWideTable(storage: TableStorage, rows: number): Promise<void> {
  await storage.createTable("Wide");
  for (let row = 0; row < rows; row++) {
    const properties = Array.from({ length: wideColumns }, (_, i) => values[i % values.length]?.(row, i));
    const entity = Object.assign({ PartitionKey: "p", RowKey: String(row).padStart(5, "0") }, ...properties);
    await storage.write("Wide", { type: "insert", entity: entity as StoredEntity });
  }
}

/** A table `Odd`, of values that are easily shown or copied as another one. */
export async function addOddTable(storage: TableStorage): Promise<void> {
  await storage.createTable("Odd");
  const rows: readonly Readonly<Record<string, StoredValue>>[] = [
    { PartitionKey: "", RowKey: "", Text: "" },
    { PartitionKey: "p", RowKey: "blank ", Text: "a\u00a0b\u200b" },
    { PartitionKey: "p", RowKey: "hebrew", Text: "שלום, עולם (1)!" },
    { PartitionKey: "p", RowKey: "override", Text: "\u202egnp.exe" },
    { PartitionKey: "p", RowKey: "long", Text: "long ".repeat(4000) },
    { PartitionKey: "p", RowKey: "lines", Text: "one\r\ntwo\tthree" },
    { PartitionKey: "p", RowKey: "zero", "Number@odata.type": "Edm.Double", Number: "-0.0" },
    { PartitionKey: "p", RowKey: "nan", "Number@odata.type": "Edm.Double", Number: "NaN" },
    { PartitionKey: "p", RowKey: "infinite", "Number@odata.type": "Edm.Double", Number: "-Infinity" },
    { PartitionKey: "p", RowKey: "int64", "Number@odata.type": "Edm.Int64", Number: "9223372036854775807" },
    { PartitionKey: "p", RowKey: "int32", Number: -2_147_483_648 },
    { PartitionKey: "p", RowKey: "early", "At@odata.type": "Edm.DateTime", At: "1601-01-01T00:00:00Z" },
    {
      PartitionKey: "p",
      RowKey: "late",
      "At@odata.type": "Edm.DateTime",
      At: "9999-12-31T23:59:59.9999999Z",
    },
    { PartitionKey: "p", RowKey: "bytes", "Bytes@odata.type": "Edm.Binary", Bytes: "AAECAwQ=" },
    { PartitionKey: "p", RowKey: "none", "Bytes@odata.type": "Edm.Binary", Bytes: "" },
  ];
  for (const entity of rows) await storage.write("Odd", { type: "insert", entity: entity as StoredEntity });
}
