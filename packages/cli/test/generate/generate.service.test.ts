import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { TableClient } from "@azure/data-tables";
import { type EntityClass, openStorage, TableContext } from "@partita/core";
import { startTableServer } from "@partita/server";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { main } from "../published.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const packages = join(root, "packages");

const partita = (...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  run(process.execPath, [main, ...args]);

/** Rows as a program writes them that knows data-tables alone. */
async function writeByDataTables(connectionString: string): Promise<void> {
  const client = TableClient.fromConnectionString(connectionString, "Orders", {
    allowInsecureConnection: true,
  });
  await client.createTable();
  for (let n = 0; n < 12; n++) {
    const partitionKey = `customer-${n % 3}`;
    const inverted = String(3155378975999999999n - 638_000_000_000_000_000n - BigInt(n) * 10_000_000n);
    await client.createEntity({
      partitionKey,
      rowKey: `${inverted}`,
      EntityType: "order",
      Total: n + 0.25,
      Paid: n % 2 === 0,
      PlacedAt: new Date(Date.UTC(2024, 0, 1 + n)),
      Bytes: new Uint8Array([1, 2, n]),
      Count: { type: "Int64", value: String(n) },
      ...(n % 4 === 0 && { Note: "n" }),
    });
    await client.createEntity({
      partitionKey,
      rowKey: `customer`.padEnd(8 + n, "x"),
      EntityType: "customer",
      Name: "n",
    });
  }
}

test("classes of a table that data-tables made compile in both forms, read every row, and ask for ranges", async () => {
  await using folder = await temporaryFolder();
  const file = `file:${join(folder.path, "orders.db")}`;
  const storage = await openStorage(file);
  const server = await startTableServer({ storage });
  await writeByDataTables(server.connectionString);
  await server.close();
  await storage.close();
  const here = folder.path;
  await linkPackages(here);
  const [module, decorated] = ["orders.ts", "decorated.ts"].map((name) => join(here, name));
  const { stderr } = await partita("generate", file, "--output", module as string, "--force");
  expect(stderr).toContain("The classes read all 24 of them.");
  await partita("generate", file, "--form", "decorators", "--output", decorated as string, "--force");
  expect(await readFile(decorated as string, "utf8")).toContain('@Kind("order")');
  await writeFile(join(here, "tsconfig.json"), JSON.stringify(tsconfig));
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", here]);

  const { Order } = (await import(pathToFileURL(module as string).href)) as {
    Order: EntityClass<{ total: number }>;
  };
  await using again = await openStorage(file);
  const query = new TableContext(again).query(Order).where({ partitionKey: "1" } as never);
  const latest = query.take(2);
  expect(latest.explain().rating).not.toBe("worst");
  expect((await latest.toArray()).map(({ total }) => total)).toEqual([10.25, 7.25]);
  const before = new Date(Date.UTC(2022, 0, 1));
  const range = query.where({ time: before } as never);
  expect(range.explain().rating).toBe("best");

  await expect(partita("generate", file, "--output", module as string)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--force") as string,
  });
  await expect(partita("generate", file, "Nothing")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no table "Nothing"') as string,
  });
});

test("decorated classes for tables whose names the language uses load", async () => {
  await using folder = await temporaryFolder();
  const file = `file:${join(folder.path, "odd.db")}`;
  const tables = ["Symbol", "TypeError", "Reflect", "Object", "Date", "Function", "Array"];
  await using storage = await openStorage(file);
  for (const table of tables) {
    await storage.createTable(table);
    await storage.write(table, { type: "insert", entity: { PartitionKey: "p", RowKey: "r", At: 1 } });
  }
  await linkPackages(folder.path);
  const source = join(folder.path, "odd.ts");
  await partita("generate", file, "--form", "decorators", "--output", source);

  for (const experimentalDecorators of [true, false]) {
    const outDir = join(folder.path, `odd-${experimentalDecorators}`);
    const compilerOptions = { ...tsconfig.compilerOptions, experimentalDecorators, noEmit: false, outDir };
    const target = { target: "ES2022", allowImportingTsExtensions: false };
    await writeFile(
      join(folder.path, "tsconfig.json"),
      JSON.stringify({ ...tsconfig, compilerOptions: { ...compilerOptions, ...target }, files: ["odd.ts"] }),
    );
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder.path]);
    const path = join(outDir, "odd.js");
    const { stdout } = await run(process.execPath, [
      "--conditions=@partita/source",
      "--input-type=module",
      "--eval",
      `console.log(Object.keys(await import(${JSON.stringify(pathToFileURL(path).href)})).sort().join())`,
    ]);
    expect(stdout.trim()).toBe(
      tables
        .map((table) => `${table}Row`)
        .toSorted()
        .join(),
    );
  }
});

/** What a program finds that has installed the packages. */
async function linkPackages(place: string): Promise<void> {
  const modules = join(place, "node_modules");
  await mkdir(join(modules, "@partita"), { recursive: true });
  for (const name of ["core", "decorators"])
    await symlink(join(packages, name), join(modules, "@partita", name));
  await symlink(join(root, "node_modules/@types"), join(modules, "@types"));
  await writeFile(join(place, "package.json"), JSON.stringify({ type: "module" }));
}

const tsconfig = {
  extends: join(root, "tsconfig.base.json"),
  compilerOptions: {
    noEmit: true,
    composite: false,
    isolatedDeclarations: false,
    declaration: false,
    declarationMap: false,
    experimentalDecorators: true,
    types: ["node"],
  },
  files: ["orders.ts", "decorated.ts"],
};
