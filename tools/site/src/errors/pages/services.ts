import type { AreaPages } from "../error-page.ts";

const queues = `
const queues = tableQueues(storage);
await queues.createQueue("orders");`;

export const queuePages: AreaPages = {
  "queue.name": {
    cause:
      "The name of a queue is not valid: it has 3 to 63 lower-case letters, digits and single hyphens, and starts and ends with a letter or digit.",
    remedy: "Choose another name, such as `ship-orders`.",
    example: `
await tableQueues(storage).createQueue("Ship_Orders");`,
  },
  "queue.option": {
    cause: "A method of a queue got an option that does not exist, or a value that it does not take.",
    remedy: "Use a name and a value from the message. Times are in milliseconds.",
    example: `${queues}
await queues.receive("orders", { visibilityMs: -1 });`,
  },
  "queue.receipt": {
    cause:
      "`update()` or `remove()` got something without an id and a receipt, or a receipt of another message.",
    remedy: "Pass what `put()`, `receive()` or `update()` returned. A peeked message has no receipt.",
    example: `${queues}
await queues.remove("orders", { id: "1", receipt: "" });`,
  },
  "queue.row": {
    cause: "Queues in a table have a row for each queue, and another program changed this row.",
    remedy: "Correct the row, or delete it and create the queue again. Messages are stored in other rows.",
    needs: "a row that another program changed",
    example: `
await queues.deleteQueue("orders");
await queues.createQueue("orders");`,
  },
  "queue.text": {
    cause: "A message is no text.",
    remedy: "Convert it: `JSON.stringify(value)`, or base64 for bytes.",
    example: `${queues}
await queues.put("orders", { id: 7 } as never);`,
  },
  "queue.text-characters": {
    cause: "A message has half of a surrogate pair, or a control character that XML cannot carry.",
    remedy: 'Remove the character, or open the queues with `messageEncoding: "base64"`.',
    example: `${queues}
await queues.put("orders", "\\ud83d");`,
  },
  "queue.text-too-large": {
    cause: "A message is larger than a queue takes: 64 KiB, or less with base64.",
    remedy: "Store the data in an entity or a blob, and send its key.",
    example: `${queues}
await queues.put("orders", "a".repeat(70_000));`,
  },
};

const files = `
const files = tableFiles(storage, { name: "Docs" });`;

export const filePages: AreaPages = {
  "file.block-id": {
    cause: "The id of a block is no bigint in the allowed range, or a range of blocks ends before it starts.",
    remedy: "Use ids that `append()` or `blocks()` returned, such as `0n`.",
    example: `${files}
const file = await files.create("/log");
await file.deleteBlock(-1n);`,
  },
  "file.block-too-large": {
    cause: "One block is larger than 983,040 bytes.",
    remedy: "Write the content with `writer()` or `files.write()`, which split it into blocks.",
    example: `${files}
const file = await files.create("/log");
await file.append(new Uint8Array(2 * 1024 * 1024));`,
  },
  "file.closed": {
    cause: "You wrote to a closed writer, or to a version of a file that was deleted or replaced.",
    remedy: "Call `writer()` again, or open the path again and write to its current version.",
    example: `${files}
const file = await files.create("/log");
await files.delete("/log");
await file.append("too late");`,
  },
  "file.contended": {
    cause: "Other programs changed the file each time Partita tried to write it.",
    remedy: "Try again later. Let fewer programs write to one file.",
    needs: "many programs that write to one file",
    example: `
import { setTimeout } from "node:timers/promises";

try {
  await log.append("entry");
} catch (error) {
  if (!(error instanceof FileError) || error.code !== "file.contended") throw error;
  await setTimeout(1_000);
  await log.append("entry");
}`,
  },
  "file.content": {
    cause:
      "The content for a file is no text, Uint8Array or stream of them, or a text has half of a surrogate pair.",
    remedy: "Pass text or bytes: `JSON.stringify(value)`.",
    example: `${files}
await files.write("/a.json", { a: 1 } as never);`,
  },
  "file.damaged": {
    cause: "The checksum of a block does not match: its row is not as it was written.",
    remedy:
      "Write the block again, or delete it with `deleteBlock(id)`. Find out which program changed the rows.",
    needs: "rows that another program changed",
    example: `
try {
  console.log(await file.text());
} catch (error) {
  if (!(error instanceof FileError) || error.code !== "file.damaged") throw error;
  await files.copy("/backup/log", "/log");
}`,
  },
  "file.destroyed": {
    cause:
      "A call of `files.destroy()` was stopped after it had begun, so the file system can't be used any more.",
    remedy: "Call `destroy()` again until it ends. Then you can create files again.",
    needs: "a call of destroy() that was stopped",
    example: `
await tableFiles(storage, { name: "Docs" }).destroy({ confirm: "Docs" });`,
  },
  "file.full": {
    cause: "A version of a file has had its last possible block.",
    remedy: "Copy the file: the blocks of the copy are counted from 0.",
    needs: "a file with more than 10^18 blocks",
    example: `
await files.copy("/queue", "/queue-2");`,
  },
  "file.head-moved": {
    cause:
      "You passed `expecting` to `deleteHead()`, and the first block is another one: another program has taken it.",
    remedy: "Call `readHead()` again and work with the new first block.",
    example: `${files}
const queue = await files.create("/queue");
await queue.append("first");
await queue.append("second");
await queue.deleteHead();
await queue.deleteHead({ expecting: 0n });`,
  },
  "file.in-doubt": {
    cause: "A write lost its response, and Partita does not know whether it was applied.",
    remedy: "Read the file to see what is stored before you write again.",
    needs: "a lost response",
    example: `
try {
  await log.append("entry");
} catch (error) {
  if (!(error instanceof FileError) || error.code !== "file.in-doubt") throw error;
  if (!(await log.text()).endsWith("entry")) await log.append("entry");
}`,
  },
  "file.layout": {
    cause: "A file system was created with other zones or another number of buckets than you open it with.",
    remedy:
      "Open it with the same options. To change them, copy its files into a file system of another name.",
    example: `
await tableFiles(storage, { name: "Docs" }).write("/a.txt", "Hello");
await tableFiles(storage, { name: "Docs", zones: { "/": { keepDeletedMs: 0 }, "/tmp": { keepDeletedMs: 0 } } }).open("/a.txt");`,
  },
  "file.lease-lost": {
    cause:
      "You renewed or ended a lease after it had ended, and another program has leased the block, or deleted it.",
    remedy:
      "Lease blocks for longer, or call `renew()` while you work. The other program now works on the block.",
    example: `${files}
const queue = await files.create("/queue");
await queue.append("first");
const lease = await queue.leaseHead({ for: 30_000 });
await queue.deleteHead(); // by another program
await lease?.done();`,
  },
  "file.metadata": {
    cause: "The metadata of a file is no object.",
    remedy: 'Pass an object, such as `{ author: "Ann" }`.',
    example: `${files}
const file = await files.create("/a.txt");
await file.updateMetadata("Ann" as never);`,
  },
  "file.missing": {
    cause: "No file has this path, or it was deleted.",
    remedy: "Check the path, or create the file. `open()` returns undefined instead of throwing.",
    example: `${files}
await files.copy("/a.txt", "/b.txt");`,
  },
  "file.option": {
    cause: "A method for files got an option that does not exist, or a value that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
tableFiles(storage, { name: "my docs" });`,
  },
  "file.path": {
    cause:
      "A path is not valid: it starts with `/`, has no empty segment, no `.` or `..`, and is not too long.",
    remedy: "Correct the path, such as `/logs/2026/app.log`.",
    example: `${files}
await files.write("notes/../a.txt", "Hello");`,
  },
  "file.read-only": {
    cause: "You called a method that changes files, but opened the file system with `readOnly: true`.",
    remedy: "Leave out `readOnly` in the program that writes.",
    example: `
await tableFiles(storage, { name: "Docs", readOnly: true }).write("/a.txt", "Hello");`,
  },
  "file.reclaimed": {
    cause: "A deleted or replaced version was reclaimed while you used it: its blocks no longer exist.",
    remedy: "Open the path again. To keep deleted versions for longer, set `keepDeletedMs` of their zone.",
    needs: "a job that reclaims versions",
    example: `
const files = tableFiles(storage, { name: "Docs", zones: { "/": { keepDeletedMs: 7 * 86_400_000 } } });`,
  },
  "file.version": {
    cause: "A version is no whole number of 1 or greater, or `at()` got an invalid date.",
    remedy: "Use a version from `versions(path)`, or a valid date.",
    example: `${files}
await files.write("/a.txt", "Hello");
await files.at("/a.txt", new Date("yesterday")); // an invalid date`,
  },
};

export const transferPages: AreaPages = {
  "transfer.already-copied": {
    cause:
      "The target has the rows of an earlier copy of this table, and that copy has ended. Nothing was written.",
    remedy:
      'To copy new rows too, pass `existing: "skip"`. To copy changed rows again, pass `"replace"` or `"merge"`.',
    example: `
const target = await openStorage("memory:");
await copyTable(storage, target, "Blogs");
await copyTable(storage, target, "Blogs");`,
  },
  "transfer.column": {
    cause:
      "An export to CSV cannot give a property a column: the table has too many different properties, the name cannot be a column, or the property was written after the export read the columns.",
    remedy:
      'Export as `"jsonl"`, where each row has its own properties. Or name the columns with `{ columns }`, or export again.',
    needs: "a table that changes during the export",
    example: `
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";

await pipeline(exportTable(storage, "Blogs", { format: "jsonl" }), createWriteStream("blogs.jsonl"));`,
  },
  "transfer.header": {
    cause: "The first line of a CSV file does not name the columns of a table.",
    remedy: "Write the columns into the first line, with PartitionKey and RowKey.",
    example: `
await importTable(storage, "News", ReadableStream.from(["title,rating\\nHello,5\\n"]), { format: "csv" });`,
  },
  "transfer.line": {
    cause:
      "A line of an import is no row: it is not valid JSON, lacks a key, or has a value that does not fit its type.",
    remedy: "Correct the line that the message names. To skip such lines, pass `onBadLine`.",
    example: `
await importTable(storage, "News", ReadableStream.from(['{"PartitionKey":"news"}\\n']), { format: "jsonl" });`,
  },
  "transfer.option": {
    cause: "An import, an export, a copy or a comparison got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await copyTable(storage, storage, "Blogs"); // onto itself`,
  },
  "transfer.row-exists": {
    cause:
      "An import or a copy met another row with the same key: in the table, where another program inserted it meanwhile, or in the imported file. It was left unchanged.",
    remedy:
      'Find out which row is right. Then repeat the call with `existing: "replace"`, `"merge"` or `"skip"`.',
    example: `
const lines = '{"PartitionKey":"a","RowKey":"1","n":1}\\n{"PartitionKey":"a","RowKey":"1","n":2}\\n';
await importTable(storage, "News", ReadableStream.from([lines]));`,
  },
  "transfer.table-not-empty": {
    cause: "The target of an import or a copy already has rows. Nothing was written.",
    remedy:
      'Choose another table, or what happens to rows with the same keys: `existing: "replace"` overwrites them, `"merge"` keeps their other properties, and `"skip"` leaves them unchanged.',
    example: `
await importTable(storage, "Blogs", ReadableStream.from(['{"PartitionKey":"news","RowKey":"1"}\\n']));`,
  },
  "transfer.text": {
    cause:
      "The text of an import cannot be divided into rows, for example because a quotation mark is not closed.",
    remedy: "Correct the file at the line that the message names.",
    example: `
await importTable(storage, "News", ReadableStream.from(['PartitionKey,RowKey,title\\nnews,1,"Hello\\n']), { format: "csv" });`,
  },
  "transfer.types": {
    cause:
      "CSV has columns without types: no column with `@type` after their names. The message lists the types of their values.",
    remedy:
      'Pass `types: "infer"` to import these types, `types: "text"` to import text, or the classes whose properties the columns are.',
    example: `
await importTable(storage, "News", ReadableStream.from(["PartitionKey,RowKey,rating\\nnews,1,5\\n"]));`,
  },
};

export const blobPages: AreaPages = {
  "blobs.changed": {
    cause: "The blob changed between two requests for its page ranges, and you passed `unchanged: true`.",
    remedy: "Read the ranges again, read those of a snapshot, or leave out `unchanged`.",
    needs: "a page blob that changes",
    example: `
const ranges = await Array.fromAsync(disk.pageRanges()); // without unchanged: true`,
  },
  "blobs.option": {
    cause: "`openPageBlob()` or `pageRanges()` got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
const connection = "AccountName=acct;AccountKey=a2V5;EndpointSuffix=core.windows.net";
await using disk = await openPageBlob(connection, { blob: "vhds/disk.vhd" });
for await (const range of disk.pageRanges({ segmentBytes: -1 })) console.log(range);`,
  },
  "blobs.target": {
    cause: "`openPageBlob()` got a target that names no blob.",
    remedy:
      'Pass the URL of the blob with a credential or a signature, or a connection string with `{ blob: "container/name" }`.',
    example: `
await openPageBlob("AccountName=acct;AccountKey=a2V5;EndpointSuffix=core.windows.net");`,
  },
};
