import { describe, expect, test } from "vitest";
import { checkRequest } from "../../src/server/http/check-request.ts";
import { RequestError } from "../../src/server/request-error.ts";

const address = { port: 4100, token: "the-token", pageKey: "the-page" };
const ofPage = { host: "127.0.0.1:4100", authorization: "Bearer the-token" };

/** The status that a request is refused with; 200 when it is answered. */
function statusOf(path: string, headers: Record<string, string | undefined>, method = "GET"): number {
  try {
    checkRequest({ method, path, headers }, address);
    return 200;
  } catch (error) {
    if (error instanceof RequestError) return error.status;
    throw error;
  }
}

describe("a request of the API", () => {
  test("is answered with the token, by every name of this machine", () => {
    for (const host of ["127.0.0.1:4100", "localhost:4100", "LOCALHOST:4100", "[::1]:4100"])
      expect(statusOf("/api/info", { ...ofPage, host })).toBe(200);
    expect(statusOf("/api/info", { ...ofPage, origin: "http://127.0.0.1:4100" })).toBe(200);
  });

  test("is refused without the token, whatever stands in its place", () => {
    for (const authorization of [
      undefined,
      "",
      "the-token",
      "Bearer",
      "Bearer ",
      "Bearer the-toke",
      "bearer the-token",
      "Bearer the-token ",
    ])
      expect(statusOf("/api/info", { ...ofPage, authorization })).toBe(401);
    expect(statusOf("/api/info?token=the-token", { host: ofPage.host })).toBe(401);
    expect(statusOf("/api/", { host: ofPage.host, cookie: "token=the-token" })).toBe(401);
  });

  test("is refused under another host name, as a rebound one would be", () => {
    for (const host of [
      undefined,
      "evil.example",
      "evil.example:4100",
      "127.0.0.1",
      "127.0.0.1:4101",
      "127.0.0.1.evil.example:4100",
    ])
      expect(statusOf("/api/info", { ...ofPage, host })).toBe(403);
  });

  test("is refused from another origin, another port and another site", () => {
    for (const origin of [
      "https://evil.example",
      "null",
      "http://127.0.0.1:4101",
      "http://localhost:4100",
      "https://127.0.0.1:4100",
    ])
      expect(statusOf("/api/info", { ...ofPage, origin })).toBe(403);
    for (const site of ["cross-site", "same-site"])
      expect(statusOf("/api/info", { ...ofPage, "sec-fetch-site": site, "sec-fetch-mode": "cors" })).toBe(
        403,
      );
  });
});

describe("a request of the page", () => {
  test("is answered under the path that nobody can guess, when it is read", () => {
    expect(statusOf("/the-page/", { host: ofPage.host, "sec-fetch-site": "none" })).toBe(200);
    expect(statusOf("/the-page/main.js", { host: ofPage.host, "sec-fetch-site": "same-origin" })).toBe(200);
    expect(statusOf("/the-page/", { host: ofPage.host }, "POST")).toBe(405);
  });

  test("is not there under any other", () => {
    for (const path of ["/", "/main.js", "/the-pag/", "//the-page/", "/apis/the-page", "/the-page2/"])
      expect(statusOf(path, { host: ofPage.host })).toBe(404);
  });
});
