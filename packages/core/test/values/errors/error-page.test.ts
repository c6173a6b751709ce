import { describe, expect, test } from "vitest";
import { withLink, withoutLinks } from "../../../src/values/errors/error-page.ts";
import { KeyError } from "../../../src/values/errors/key-error.ts";
import { StorageError } from "../../../src/values/errors/storage-error.ts";

const inner = new KeyError("key.too-long", "The key is too long. Shorten it.");

describe("the message of an error", () => {
  test("ends with the link to the page of its code", () => {
    expect(inner.message).toMatch(
      /^The key is too long\. Shorten it\. See https:\S+\/errors\/key\.too-long$/,
    );
  });

  test.each([
    ["at the end", `It failed: ${inner.message}`, "It failed: The key is too long. Shorten it."],
    ["before a sentence", `It failed: ${inner.message}. Try again.`, /Shorten it\. Try again\.$/],
    ["in parentheses", `It failed (${inner.message}).`, "It failed (The key is too long. Shorten it.)."],
    [
      "in a list",
      `Two failed.\n- ${inner.message}\n- ${inner.message}`,
      /it\.\n- The key is too long\. Shorten it\.$/,
    ],
  ])("has one link if it quotes another message %s", (_where, message, text) => {
    const outer = new KeyError("key.malformed", message);

    expect(withoutLinks(outer.message)).toMatch(text);
    expect(outer.message).toMatch(/\sSee https:\S+\/errors\/key\.malformed$/);
    expect(outer.message.match(/https:/g)).toHaveLength(1);
  });

  test("loses the link of another copy of the package, which may have another address", () => {
    const message = "It failed: Too long. See https://docs.example/partita/errors/key.too-long";

    expect(withoutLinks(withLink(message, "save.failed"))).toBe("It failed: Too long.");
  });

  test("keeps one link if the error is made again with other details", () => {
    const again = StorageError.ofService("EntityAlreadyExists").atIndex(3).asMaybeApplied();

    expect(again.message).toBe(StorageError.ofService("EntityAlreadyExists").message);
  });
});
