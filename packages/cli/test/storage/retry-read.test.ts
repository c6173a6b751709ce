import { StorageError } from "@partita/core";
import { expect, test, vi } from "vitest";
import { retryRead } from "../../src/storage/retry-read.ts";

const busy = (): StorageError => StorageError.ofService("ServerBusy");
const missing = (): StorageError => StorageError.ofService("TableNotFound");
const { signal } = new AbortController();

test("a failure that may pass is met again, another one is thrown at once", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const read = vi.fn<() => Promise<string>>().mockRejectedValueOnce(busy()).mockResolvedValue("row");
  expect(await retryRead(read, signal)).toBe("row");
  expect(read).toHaveBeenCalledTimes(2);

  const refused = vi.fn<() => Promise<string>>().mockRejectedValue(missing());
  await expect(retryRead(refused, signal)).rejects.toMatchObject({ serviceCode: "TableNotFound" });
  expect(refused).toHaveBeenCalledTimes(1);
});

test("what fails for good is thrown, and nothing is read after an abort", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const read = vi.fn<() => Promise<string>>().mockRejectedValue(busy());
  await expect(retryRead(read, signal)).rejects.toMatchObject({ serviceCode: "ServerBusy" });
  expect(read).toHaveBeenCalledTimes(4);

  read.mockClear();
  await expect(retryRead(read, AbortSignal.abort())).rejects.toMatchObject({ serviceCode: "ServerBusy" });
  expect(read).toHaveBeenCalledTimes(1);
});
