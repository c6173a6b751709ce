import { assumes, type Probe, reports } from "./probe.ts";

// The results of hand-written filters. `describeStorage` has the filters that clients print.

const rows = [
  { PartitionKey: "p", RowKey: "1", N: 5, S: "a", "L@odata.type": "Edm.Int64", L: "5454161346626", B: true },
  { PartitionKey: "p", RowKey: "2", S: "A", "D@odata.type": "Edm.Double", D: 5.5 },
  {
    PartitionKey: "p",
    RowKey: "3",
    "T@odata.type": "Edm.DateTime",
    T: "2023-02-01T00:00:00Z",
    "G@odata.type": "Edm.Guid",
    G: "4185404a-5818-48c3-b9be-f217df0dba6f",
  },
];

/**
 * Each filter with the RowKeys that it should find, or the status of its refusal. Absent if nothing is
 * assumed.
 */
const filters: readonly (readonly [filter: string, assumed?: readonly string[] | number])[] = [
  ["PartitionKey eq 'p' and RowKey eq '2'", ["2"]],
  ["PartitionKey eq'p' and RowKey eq '2'", ["2"]],
  ["N ne 5", []],
  ["not (N eq 5)", ["2", "3"]],
  ["S eq 'a'", ["1"]],
  ["S gt 'A'", ["1"]],
  ["L eq 5454161346626L", ["1"]],
  ["L eq 5454161346626", 400],
  ["D eq 5.5", ["2"]],
  ["D gt 5", ["2"]],
  ["T eq datetime'2023-02-01T00:00:00Z'", ["3"]],
  ["T eq datetime'2023-02-01'", ["3"]],
  ["G eq guid'4185404a-5818-48c3-b9be-f217df0dba6f'", ["3"]],
  ["G eq guid'4185404A-5818-48C3-B9BE-F217DF0DBA6F'", ["3"]],
  ["B", ["1"]],
  ["B eq true", ["1"]],
  ["startswith(S,'a')", 501],
  ["S eq null"],
  ["", ["1", "2", "3"]],
];

export const filterSemantics: Probe = {
  name: "filters",
  async measure({ storage, table, raw }) {
    if (raw === undefined)
      return [reports("hand-written filters need the account's key for the signature", "not measured")];
    for (const entity of rows) await storage.write(table, { type: "insert", entity });
    const findings = [];
    for (const [filter, assumed] of filters) {
      const { status, text } = await raw(`/${table}()`, { $filter: filter });
      const measured = status === 200 ? rowKeysIn(text) : status;
      const what = `$filter=${filter}`;
      findings.push(assumed === undefined ? reports(what, measured) : assumes(what, measured, assumed));
    }
    return findings;
  },
};

const rowKeysIn = (text: string): string[] =>
  (JSON.parse(text) as { value: { RowKey: string }[] }).value.map(({ RowKey }) => RowKey).toSorted();
