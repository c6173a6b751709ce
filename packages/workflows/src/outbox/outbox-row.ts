import type { StoredEntity } from "@partita/core/storage";
import { jsonText } from "../messages/json-text.ts";
import { WorkflowError } from "../errors/workflow-error.ts";

/**
 * UTF-16 units of one text property. Source: learn.microsoft.com "Understanding the Table service data
 * model".
 */
const maxUnits = 32_768;

/** UTF-16 units of a payload: 960 KiB as the service counts, which leaves capacity for the rest of a row. */
const maxPayloadUnits = 480 * 1024;

/** The message in a row. */
export interface RowMessage {
  readonly task: string;
  /** Id of the task. */
  readonly id: string;
  readonly payload: unknown;
}

/**
 * The properties of a message's row. Its payload is stored as JSON, in as many properties as needed.
 *
 * @throws WorkflowError `workflow.not-json`, `outbox.payload-too-large`
 */
export function propertiesOf({ task, id, payload }: RowMessage): Record<string, string> {
  const properties: Record<string, string> = { Task: task, Id: id };
  if (payload === undefined) return properties;
  const text = jsonText(payload, `The payload of task "${task}"`);
  if (text.length > maxPayloadUnits)
    throw new WorkflowError(
      "outbox.payload-too-large",
      `The payload of task "${task}" has ${text.length} characters as JSON, more than the ${maxPayloadUnits} of a message that is sent with a save. Store large data in an entity or a blob, and send its key.`,
      { task, length: text.length, limit: maxPayloadUnits },
    );
  for (let from = 0, n = 0; from < text.length; n++) {
    const to = endOfPiece(text, from);
    properties[pieceName(n)] = text.slice(from, to);
    from = to;
  }
  return properties;
}

/** The end of a piece, without splitting a surrogate pair, because storage refuses halves. */
function endOfPiece(text: string, from: number): number {
  const to = Math.min(from + maxUnits, text.length);
  const isPair = to < text.length && (text.charCodeAt(to) & 0xfc00) === 0xdc00;
  return isPair ? to - 1 : to;
}

const pieceName = (n: number): string => (n === 0 ? "Payload" : `Payload${n}`);

/** Reads the message from a row. @throws WorkflowError `outbox.row` if another program changed it */
export function messageIn(row: StoredEntity): RowMessage {
  const { Task: task, Id: id } = row;
  if (typeof task !== "string" || typeof id !== "string") throw unreadable();
  let text = "";
  for (let n = 0; row[pieceName(n)] !== undefined; n++) text += String(row[pieceName(n)]);
  try {
    return { task, id, payload: text === "" ? undefined : JSON.parse(text) };
  } catch {
    // The parser's own message would quote the text.
    throw unreadable();
  }
}

const unreadable = (): WorkflowError =>
  new WorkflowError(
    "outbox.row",
    "The row of a message is not readable, because another program changed it. Rows that start with ~o~ belong to the outbox.",
  );
