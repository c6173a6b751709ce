import { isError } from "../../values/errors/built-ins.ts";

/** The fields of a tracing event: names and counts. */
export type Fields = Readonly<Record<string, string | number | undefined>>;

/**
 * Formats one event as a readable line: the activity and its outcome. An error appears as its code only, since messages
 * may contain keys.
 */
export function describeActivity(channel: string, fields: Fields): string {
  const described = descriptions[channel]?.(fields) ?? "";
  const { error } = fields as { readonly error?: unknown };
  return error === undefined ? described : `${described} failed: ${codeOf(error)}`;
}

function codeOf(error: unknown): string {
  if (!isError(error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : error.name;
}

const descriptions: Readonly<Record<string, (fields: Fields) => string>> = {
  query: ({ shape, table, type, rating, index, requests, pages, rows, entities }) =>
    `${table}: ${type} (${rating})${optional(" by ", index)} for ${shape}; ` +
    `${counted(requests, "request")} planned, ${counted(pages, "page")}, ${counted(rows, "row")}, ${counted(entities, "result")}`,
  request: ({ type, table, operations, attempt, rows, status, bytes, sentBytes }) =>
    `${type} ${table}${Number(operations) > 1 ? ` of ${counted(operations, "operation")}` : ""}` +
    `${Number(attempt) > 1 ? ` (try ${attempt})` : ""}${optional(" status ", status)}` +
    (rows === undefined ? "" : `, ${counted(rows, "row")}`) +
    (bytes === undefined ? "" : `, ${sentBytes} bytes sent, ${bytes} received`),
  save: ({ pending, committed, rejected, unknown }) =>
    counted(pending, "change") +
    (committed === undefined ? "" : `: ${committed} committed, ${rejected} rejected, ${unknown} unknown`),
  queue: ({ type, queue, attempt, messages }) =>
    `${type}${optional(" ", queue)}${Number(attempt) > 1 ? ` (try ${attempt})` : ""}` +
    (messages === undefined ? "" : `, ${counted(messages, "message")}`),
  task: ({ queue, kind, name, deliveries }) =>
    `${kind ?? "message"}${optional(" ", name)} of ${queue}, delivery ${deliveries}`,
  step: ({ workflow, step }) => `${workflow}: ${step}`,
};

const optional = (before: string, value: Fields[string]): string =>
  value === undefined ? "" : `${before}${value}`;

const counted = (count: Fields[string], what: string): string =>
  `${count ?? 0} ${what}${count === 1 ? "" : "s"}`;
