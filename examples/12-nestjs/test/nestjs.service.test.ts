import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("each request has a context of its own, which all that is injected in it share", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "A blog is added: 201 ",
    'The same once more: 409 {"message":"exists","error":"Conflict","statusCode":409}',
    'A ninth rating: 201 {"rating":9}',
    'The list: {"blogs":[{"channel":"news","id":"1","text":"Hello","rating":9}],"isShared":true}',
  ]);
});
