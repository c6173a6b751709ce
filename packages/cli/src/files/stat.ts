import { counted, formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { openFile, type Verb } from "./session.ts";

/** `stat`: prints the details of a file, one per line. */
export const stat: Verb = async (session, [path = ""], { version, json = false }) => {
  const { out, signal } = session;
  const file = await openFile(session, path, version);
  const [size, blocks] = await Promise.all([file.size({ signal }), file.blockCount({ signal })]);
  const { info } = file;
  if (json) {
    await out.line(JSON.stringify({ ...info, size, blocks }));
    return 0;
  }
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Path", info.path],
    ["Version", `${info.version}, ${info.state}`],
    ["Size", `${formatBytes(size)} (${size.toLocaleString("en")} bytes) in ${counted(blocks, "block")}`],
    ["Type", info.contentType],
    ["Created", info.createdAt.toISOString()],
    ["Written", info.versionCreatedAt.toISOString()],
    ["Updated", info.updatedAt.toISOString()],
    ["Deleted", info.deletedAt?.toISOString()],
    ["Metadata", Object.keys(info.metadata).length === 0 ? undefined : JSON.stringify(info.metadata)],
  ];
  for (const [name, value] of rows)
    if (value !== undefined) await out.line(`${name.padEnd(10)}${printable(value)}`);
  return 0;
};
