import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A person who has the keyboard alone: the tests that use it never have the page. */
export interface Typist {
  readonly press: (...keys: readonly string[]) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  /** Presses Tab until an element with this name has the focus, and then the other keys. */
  readonly tabTo: (name: string | RegExp, ...keys: readonly string[]) => Promise<void>;
  /** Writes another text into a field. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** Waits until the page shows a text. */
  readonly sees: (text: string | RegExp) => Promise<void>;
  /** Reloads the page, and checks that it shows the same again. */
  readonly reload: () => Promise<void>;
  /** Reloads the page while something is not finished, and waits for a text. */
  readonly reloadTo: (text: string) => Promise<void>;
}

/** The keyboard of a page. */
export function typistAt(page: Page): Typist {
  page.on("dialog", (dialog) => void dialog.accept());
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tabTo = async (name: string | RegExp, ...keys: readonly string[]): Promise<void> => {
    const met: string[] = [];
    for (let i = 0; i < 150; i++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(focusedName);
      if (typeof name === "string" ? focused === name : name.test(focused)) return press(...keys);
      met.push(focused);
    }
    throw new Error(`Tab does not lead to ${name}, only to ${[...new Set(met)].join("; ")}.`);
  };
  const sees = (text: string | RegExp): Promise<void> =>
    page.getByText(text).filter({ visible: true }).first().waitFor();
  /** What the page shows once it has drawn the last key and read the rows that it needs. */
  const settled = async (): Promise<unknown> => {
    let last = "";
    await expect
      .poll(
        async () => {
          const now = JSON.stringify(await page.evaluate(shownParts));
          const isSettled = now === last && !now.includes("reading …") && !now.includes('"isDrawn":false');
          last = now;
          return isSettled;
        },
        { timeout: 50_000, interval: 100 },
      )
      .toBe(true);
    return JSON.parse(last);
  };
  return {
    press,
    tabTo,
    type: (text) => page.keyboard.type(text),
    async write(name, text) {
      await tabTo(name, "Control+A");
      await page.keyboard.type(text);
    },
    sees,
    async reloadTo(text) {
      await page.reload();
      await sees(text);
    },
    async reload() {
      const before = await settled();
      await page.reload();
      await expect
        .poll(() => page.evaluate(shownParts).then((parts) => JSON.parse(JSON.stringify(parts)) as unknown), {
          timeout: 50_000,
        })
        .toEqual(before);
    },
  };
}

/** Runs in the page: the name of the element with the focus. */
function focusedName(): string {
  const focused = document.activeElement;
  if (focused === null) return "";
  const label =
    focused instanceof HTMLInputElement ||
    focused instanceof HTMLSelectElement ||
    focused instanceof HTMLTextAreaElement
      ? focused.labels?.[0]?.textContent
      : undefined;
  const name = focused.getAttribute("aria-label") ?? label ?? focused.textContent;
  return name.replaceAll(/\s+/g, " ").trim();
}

/** Runs in the page: all that a reload must show again. */
function shownParts(): Readonly<Record<string, unknown>> {
  const textsOf = (selector: string): (string | null)[] =>
    [...document.querySelectorAll(selector)].map((element) => element.textContent);
  const grid = document.getElementById("grid");
  const active = document.getElementById(grid?.getAttribute("aria-activedescendant") ?? "");
  return {
    title: document.title,
    view: textsOf("[role=tab][aria-selected=true]"),
    query: document.querySelector<HTMLInputElement>("#query")?.value,
    rows: textsOf(".known, .sort-note"),
    columns: [...document.querySelectorAll<HTMLElement>(".grid-head .head")].map((head) => [
      head.textContent,
      head.ariaSort,
      head.offsetWidth,
    ]),
    isDrawn: active !== null || document.querySelector("#grid .line") === null,
    cell: textsOf(".grid-status > *"),
    selected: textsOf(".selection > span"),
    staged: textsOf(".staged-button .count"),
    panel: textsOf(".panel h2, .panel .change, .panel .conflict"),
    fields: [...document.querySelectorAll<HTMLInputElement>(".panel :is(input, select, textarea)")].map(
      ({ name, value, checked }) => [name, value, checked],
    ),
    focus: document.activeElement?.id,
    theme: document.documentElement.dataset["theme"],
  };
}
