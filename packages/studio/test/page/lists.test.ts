import { describe, expect, test } from "vitest";
import type { Row } from "../../src/api/cells.ts";
import { lineHeight, scrollTo, scrollWindow } from "../../src/page/grid/scroll-window.ts";
import { RowList, type RowSource } from "../../src/page/state/row-list.ts";
import { RowTree } from "../../src/page/state/row-tree.ts";

const rowOf = (index: number): Row => ({ partitionKey: "p", rowKey: String(index), etag: "", cells: [] });

/** Rows in pages of ten. */
function sourceOf(count: number, asked: string[] = []): RowSource {
  const nextOf = (start: number): string | undefined => (start + 10 < count ? String(start + 10) : undefined);
  return {
    page: async (after = "0") => {
      asked.push(after);
      const length = Math.min(10, count - Number(after));
      const next = nextOf(Number(after));
      return { rows: Array.from({ length }, (_, i) => rowOf(Number(after) + i)), next };
    },
    extent: async (after = "0") => {
      const pages = [];
      for (let at = Number(after); at < count; at += 10)
        pages.push({ after: String(at), count: Math.min(10, count - at) });
      return { pages, next: undefined };
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a list of rows", () => {
  test("reads any page by its mark, and releases those that were looked at first", async () => {
    const asked: string[] = [];
    const list = new RowList(sourceOf(1_000_005, asked), () => undefined);
    await list.readMore();
    await list.readToEnd();
    const unknown = list.rowAt(999_999);
    await turn();
    for (let page = 10; page < 60; page++) {
      list.rowAt(page * 10);
      await turn();
    }

    expect([list.count, list.isAtEnd, unknown]).toEqual([1_000_005, true, undefined]);
    expect(asked).toContain("999990");
    expect(list.loadedRows().length).toBeLessThanOrEqual(240);
    expect(list.rowAt(599)?.rowKey).toBe("599");
  });

  test("shows why it could not be read, and can be read again", async () => {
    let fails = true;
    const { page, extent } = sourceOf(5);
    const source: RowSource = {
      extent,
      page: (...args) => (fails ? Promise.reject(new Error("busy")) : page(...args)),
    };
    const list = new RowList(source, () => undefined);

    await list.readMore();
    const { error } = list;
    fails = false;
    await list.readMore();

    expect([error?.message, list.error, list.count]).toEqual(["busy", undefined, 5]);
  });
});

/** Rows whose pages end after some time: at other rows when they are read again. */
describe("a page that ends elsewhere when it is read again", () => {
  const rows = Array.from({ length: 1000 }, (_, i) => rowOf(i));
  /** Reads so many rows, from the index that is the token. */
  const listOf = async (sizes: () => number): Promise<RowList> => {
    const page: RowSource["page"] = async (after = "0") => {
      const end = Number(after) + sizes();
      return { rows: rows.slice(Number(after), end), next: end < rows.length ? String(end) : undefined };
    };
    const list = new RowList({ page, extent: () => Promise.reject(new Error("unused")) }, () => undefined);
    // The first of many pages is released from memory.
    for (let i = 0; i < 30; i++) await list.readMore();
    return list;
  };
  const keysOf = (list: RowList, count: number): (string | undefined)[] =>
    Array.from({ length: count }, (_, i) => list.rowAt(i)?.rowKey);

  test.each([
    ["later, has no rows of the next page", 7],
    ["earlier, has all its rows", 2],
  ])("%s", async (_name, size) => {
    let isAgain = false;
    const list = await listOf(() => (isAgain ? size : 5));
    isAgain = true;
    const isReleased = list.rowAt(0) === undefined;
    await turn();
    await turn();

    expect(isReleased).toBe(true);
    expect(list.count).toBe(150);
    expect(keysOf(list, 5)).toEqual(["0", "1", "2", "3", "4"]);
  });
});

describe("a list that cannot read", () => {
  test("asks once for a page, and again when somebody says so", async () => {
    let [asked, fails] = [0, true];
    const { page, extent } = sourceOf(50);
    const source: RowSource = {
      extent,
      page: (...args) => {
        asked++;
        return fails ? Promise.reject(new Error("busy")) : page(...args);
      },
    };
    const list = new RowList(source, () => void list.rowAt(30));
    await list.readToEnd();
    for (let i = 0; i < 5; i++) await turn();
    const askedInVain = asked;
    fails = false;
    await list.retry();
    await turn();

    expect(askedInVain).toBe(1);
    expect(list.rowAt(30)?.rowKey).toBe("30");
  });

  test("stops on demand, and goes on from there", async () => {
    const { page } = sourceOf(25);
    const list = new RowList({ page, extent: (_after, stop) => untilAborted(stop) }, () => undefined);
    await list.readMore();

    const reading = list.readToEnd();
    list.stop();
    await reading;
    const stopped = list.error?.message;
    await list.retry();

    expect([stopped, list.error, list.count]).toEqual(["Reading was stopped.", undefined, 20]);
  });
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("a tree", () => {
  test("shows children between the rows, of several parents and levels", async () => {
    const list = new RowList(sourceOf(5), () => undefined);
    await list.readMore();
    const tree = new RowTree(list);
    tree.expand(3, [rowOf(31), rowOf(32)]);
    tree.expand(1, [rowOf(11)]);
    tree.expand(2, [rowOf(111)]);
    const keys = (): string[] =>
      Array.from({ length: tree.count }, (_, i) => {
        const { row, depth } = tree.lineAt(i);
        return "-".repeat(depth) + row?.rowKey;
      });
    const opened = keys();
    tree.collapse(rowOf(1));

    expect(opened).toEqual(["0", "1", "-11", "--111", "2", "3", "-31", "-32", "4"]);
    expect(keys()).toEqual(["0", "1", "2", "3", "-31", "-32", "4"]);
  });

  test("is sorted among the rows in memory, and finds the line of a row", async () => {
    const list = new RowList(sourceOf(25), () => undefined);
    await list.readMore();
    const tree = new RowTree(list);
    tree.expand(0, [rowOf(100)]);
    const lineBefore = tree.lineOf(rowOf(3));
    tree.sort((a, b) => Number(b.rowKey) - Number(a.rowKey));
    const sorted = [tree.count, tree.sortedCount, tree.lineAt(0).row?.rowKey, tree.lineOf(rowOf(3))];
    tree.expand(6, [rowOf(101)]);
    const withChild = [tree.lineAt(7).row?.rowKey, tree.lineOf(rowOf(101)), tree.lineOf(rowOf(0))];
    tree.sort(undefined);

    expect(lineBefore).toBe(4);
    // The children of sorted rows are hidden.
    expect(sorted).toEqual([10, 10, "9", 6]);
    expect(withChild).toEqual(["101", 7, 10]);
    expect([tree.sortedCount, tree.lineAt(0).row?.rowKey, tree.lineOf(rowOf(99))]).toEqual([
      undefined,
      "0",
      -1,
    ]);
  });
});

describe("a window on lines", () => {
  test("reaches every line of a list that is higher than browsers draw", () => {
    const [count, viewport] = [1_000_000, 600];
    const end = scrollWindow(count, scrollWindow(count, 0, viewport).height - viewport, viewport);
    for (const line of [0, 1, 499_999, 999_999]) {
      const target = scrollTo(line, count, line < 500_000 ? 7_000_000 : 0, viewport) ?? 0;
      const { first, end: last } = scrollWindow(count, target, viewport);
      expect(first <= line && line < last).toBe(true);
    }

    expect(end.end).toBe(count);
    expect(end.height).toBeLessThan(10_000_000);
    expect(scrollWindow(10, 0, viewport)).toEqual({ height: 10 * lineHeight, first: 0, end: 10, top: 0 });
  });
});
