import { useMemo } from "preact/hooks";
import type { Cell, Row } from "../../api/cells.ts";
import type { Field } from "../../api/tables.ts";
import { useStudio } from "../state/studio-context.ts";
import { constantsOf, type QueryField } from "./completions.ts";
import { constantOf } from "./constants.ts";

/** Maximum rows that give values for completions. */
const maxRows = 500;

/** The properties for conditions: those of the class, or the keys and the properties of loaded rows. */
export function useQueryFields(): readonly QueryField[] {
  const studio = useStudio();
  const version = studio.drawn.value;
  const tree = studio.tree.value;
  const info = studio.classInfo.value;
  return useMemo(() => {
    const rows = tree?.list.loadedRows().slice(0, maxRows) ?? [];
    const fields = info === undefined ? storedFields(rows) : info.fields;
    return fields.filter(({ type }) => type !== "Json").map((field) => queryField(field, rows));
  }, [info, tree, version]);
}

const queryField = ({ name, type, key, values }: Field, rows: readonly Row[]): QueryField => ({
  name,
  type,
  key,
  // Found when they are shown: most fields of a wide table are not.
  get constants() {
    if (values !== undefined) return values.flatMap((value) => constantOf(type, value) ?? []);
    const found = rows.flatMap((row) => valueIn(row, name));
    return constantsOf(type, found);
  },
});

function valueIn({ partitionKey, rowKey, cells }: Row, name: string): Cell[2][] {
  const cell = cells.find(([own]) => own === name);
  if (cell !== undefined) return [cell[2]];
  return name === "PartitionKey" ? [partitionKey] : name === "RowKey" ? [rowKey] : [];
}

function storedFields(rows: readonly Row[]): readonly Field[] {
  const types = new Map(rows.flatMap(({ cells }) => cells.map(([name, type]) => [name, type] as const)));
  const properties = [...types].map(([name, type]) => ({ name, type, isRequired: false }));
  return [
    { name: "PartitionKey", type: "String", key: "PartitionKey", isRequired: true },
    { name: "RowKey", type: "String", key: "RowKey", isRequired: true },
    ...properties,
  ];
}
