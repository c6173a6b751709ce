import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { UsageError } from "../../src/session/usage-error.ts";
import { confirm } from "../../src/terminal/confirm.ts";

/** Asks for `Places` while a user types a line. */
async function asked(typed: string, signal = new AbortController().signal) {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const input = new PassThrough();
  const said: string[] = [];
  const session = { input: () => input, say: (line: string) => said.push(line), isInteractive: true, signal };
  const answer = confirm({ consequence: "This deletes it.", answer: "Places", yes: false }, session);
  input.write(typed);
  try {
    return { agreed: await answer, said, question: written.mock.calls.join("") };
  } finally {
    written.mockRestore();
  }
}

test("only the requested text is an agreement", async () => {
  expect(await asked("Places\n")).toMatchObject({
    agreed: true,
    said: [],
    question: "This deletes it. Type Places to continue: ",
  });
  for (const typed of ["y\n", "places\n", "\n"])
    expect(await asked(typed)).toMatchObject({ agreed: false, said: ["Nothing was changed."] });
});

test("a signal ends the question", async () => {
  const stop = new AbortController();
  const answer = asked("Pla", stop.signal);
  stop.abort();

  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
});

test("a terminal that is closed is no agreement", async () => {
  const input = new PassThrough();
  const session = {
    input: () => input,
    say: () => undefined,
    isInteractive: true,
    signal: new AbortController().signal,
  };
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const answer = confirm({ consequence: "This deletes it.", answer: "yes", yes: false }, session);
  input.end();

  expect(await answer).toBe(false);
  vi.restoreAllMocks();
});

test("without a terminal, --yes is needed", async () => {
  const session = {
    input: () => new PassThrough(),
    say: () => undefined,
    isInteractive: false,
    signal: new AbortController().signal,
  };
  const question = { consequence: "This deletes it.", answer: "yes" };

  await expect(confirm({ ...question, yes: false }, session)).rejects.toThrow(UsageError);
  expect(await confirm({ ...question, yes: true }, session)).toBe(true);
});
