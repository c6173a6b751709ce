import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { RowPrinter } from "../../src/data/row-printer.ts";
import { Output } from "../../src/terminal/output.ts";

/** What is printed of rows. */
async function printed(
  isTTY: boolean,
  isJson: boolean,
  ...rows: readonly Record<string, unknown>[]
): Promise<string> {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  const printer = new RowPrinter(new Output(Object.assign(stream, { isTTY })), isJson);
  for (const row of rows) await printer.print(row);
  await printer.end();
  return chunks.join("");
}

const hostile = { "Na\u001bme": "\u001b]0;title\u0007\u202e\u009b\r\n\u2066\u{e0041}" };

test("a terminal gets no control, format or direction characters, in tables and in JSON", async () => {
  for (const isJson of [false, true]) {
    const text = await printed(true, isJson, hostile);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(JSON.parse(await printed(true, true, hostile))).toEqual(hostile);
});

test("columns are those of the rows, and nothing that comes later is left out", async () => {
  const rows = Array.from({ length: 51 }, (_, at) => ({
    RowKey: String(at),
    ...(at === 50 && { Late: "value" }),
  }));

  const lines = (await printed(true, false, ...rows)).split("\n");

  expect(lines[0]).toBe("RowKey");
  expect(lines[51]).toBe("50      Late=value");
});

test("elsewhere every row is a line of JSON", async () => {
  expect(await printed(false, false, { a: 1 }, { a: "x\n" })).toBe('{"a":1}\n{"a":"x\\n"}\n');
});
