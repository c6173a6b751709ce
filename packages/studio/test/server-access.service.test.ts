import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startStudio, type Studio } from "../src/index.ts";
import { sampleStore } from "./sample-store.ts";

let studio: Studio;
beforeEach(async () => {
  studio = await startStudio({ storage: await sampleStore() });
});
afterEach(() => studio.close());

describe("the server", () => {
  /** Whatever an HTTP client can send: fetch would not let a test choose the Host. */
  function statusOf(
    path: string,
    headers: Record<string, string>,
    method = "GET",
    body = "",
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: studio.port, path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  test("answers nothing without the token, and nothing to another host or origin", async () => {
    const token = `Bearer ${new URL(studio.url).hash.slice(1)}`;
    const page = new URL(studio.url).pathname;
    const api = ["info", "staged", "jobs"].map((name) => `/api/${name}`);

    for (const path of ["/", "/index.html", "/main.js", "/favicon.ico"])
      expect(await statusOf(path, {})).toBe(404);
    for (const path of api) {
      expect(await statusOf(path, {})).toBe(401);
      expect(await statusOf(path, { authorization: `${token}x` })).toBe(401);
      expect(await statusOf(path, { authorization: token, host: "evil.example" })).toBe(403);
      expect(await statusOf(path, { authorization: token, origin: "https://evil.example" })).toBe(403);
      expect(await statusOf(path, { authorization: token })).toBe(200);
    }
    expect(await statusOf(`${page}../../package.json`, {})).toBe(404);
    expect(await statusOf(`${page}%2e%2e/index.js`, {})).toBe(404);
    expect(await statusOf("/api/rows/page", { authorization: token }, "POST", "{}")).toBe(415);
    const json = { authorization: token, "content-type": "application/json" };
    expect(await statusOf("/api/rows/page", json, "POST", "{")).toBe(400);
    expect(await statusOf("/api/rows/page", json, "POST", `"${"x".repeat(9_000_000)}"`)).toBe(413);
  });

  test("lets nothing but its own scripts run, and is never stored or framed", async () => {
    const { headers } = await fetch(studio.url);

    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect([
      headers.get("cache-control"),
      headers.get("x-frame-options"),
      headers.get("referrer-policy"),
    ]).toEqual(["no-store", "DENY", "no-referrer"]);
  });
});
