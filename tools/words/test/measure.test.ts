import { describe, expect, test } from "vitest";
import { worseThan } from "../src/baseline.ts";
import { idioms } from "../src/idioms.ts";
import { measure, type Measured, placesOf } from "../src/measure.ts";
import { proseOfPage } from "../src/passage.ts";

const named = (name: string) => idioms.find((each) => each.name === name)!;

describe("an idiom is found", () => {
  test.each([
    ["somebody", "Nobody asked. Anybody may, and somebody does.", 3],
    ["whoever", "Whoever asks for whatever, in whichever form.", 3],
    ["behind", "It is behind the key, beside it, and besides it.", 3],
    ["of-which", "A row of\nwhich a part, whose key, and the way in which it is read. Which?", 3],
    ["what", "It ends, what is stored stays. What is left goes: what else. Say what you want.", 3],
    ["what", "It ends. What is left? Nothing.", 0],
    [
      "what-first",
      "# What is missing\n\nWhat is there.\n\n- What else\n\nIt is\nwhat you want. What more.",
      3,
    ],
    ["as-it-is", "Rows as they\nare, and the key as it came. As it reads.", 2],
    ["so-that", "So that it holds, so\nthat all is well. So, that is it.", 2],
    ["you", "You change your row. Youth.", 2],
  ])("%s: %j", (name, text, times) => {
    expect(placesOf(named(name), [proseOfPage("a.md", text)])).toHaveLength(times);
  });
});

test("places name the file, the line and the words around", () => {
  const page = proseOfPage("docs/a.md", "# Title\n\nA key.\nIt is stored\nbehind the row.\n");

  expect(placesOf(named("behind"), [page])).toEqual([
    "docs/a.md:5: Title A key. It is stored behind the row.",
  ]);
});

test("counts are those of all passages of a group together", () => {
  const guides = [proseOfPage("a.md", "You ask nobody."), proseOfPage("b.md", "Two words.")];

  const { groups, markdown } = measure({ guides, comments: [] }, 12);

  expect(markdown).toBe(12);
  expect(groups["guides"]).toMatchObject({ you: { found: 1, words: 5 }, somebody: { found: 1, words: 5 } });
  expect(groups["comments"]).not.toHaveProperty("you");
});

describe("a figure is worse than the baseline", () => {
  const measured = (name: string, found: number, words: number, markdown = 100): Measured => ({
    markdown,
    groups: { guides: { [name]: { found, words } } },
  });

  test.each([
    ["with more of it in as many words", measured("behind", 3, 1000), 1],
    ["not with as much in fewer words", measured("behind", 2, 900), 0],
    ["not with more of it in so many more words", measured("behind", 3, 2000), 0],
    ["not with less", measured("behind", 1, 1000), 0],
  ])("%s", (_title, now, count) => {
    expect(worseThan(measured("behind", 2, 1000), now)).toHaveLength(count);
  });

  test("when guides say you less often than before, and too seldom", () => {
    const [few, enough, many] = [10, 13, 20].map((found) => measured("you", found, 1000)) as [
      Measured,
      Measured,
      Measured,
    ];

    expect(worseThan(many, enough)).toEqual([]);
    expect(worseThan(many, few)).toEqual([{ figure: "you in guides", now: 100, before: 200 }]);
    expect(worseThan(few, few)).toEqual([]);
  });

  test("when Markdown grows above its limit", () => {
    const markdown = (words: number): Measured => measured("behind", 0, 1000, words);

    expect(worseThan(markdown(40_000), markdown(45_000))).toEqual([]);
    expect(worseThan(markdown(60_000), markdown(60_000))).toEqual([]);
    expect(worseThan(markdown(40_000), markdown(45_001))).toHaveLength(1);
  });
});
