import type { EntityClass, TableStorage } from "@partita/core";
import { loadCore } from "../../src/server/core.ts";
import { type Response, runRoute } from "../../src/server/http/run-route.ts";
import { Jobs } from "../../src/server/jobs/jobs.ts";
import { readOnlyStorage } from "../../src/server/read-only-storage.ts";
import { changingRoutes, routesOf } from "../../src/server/routes.ts";
import { RowQueries } from "../../src/server/rows/query-rows.ts";
import { StagedChanges } from "../../src/server/staged/staged-changes.ts";
import { Catalog } from "../../src/server/tables/catalog.ts";

/** The API of a studio without its server: sends a request, and returns its JSON. */
export interface OpenApi {
  /** @throws Error with what was refused */
  ask<Result>(name: string, body?: unknown): Promise<Result>;
  response(name: string, body?: unknown, signal?: AbortSignal): Promise<Response>;
  /** The same with a body that JSON does not have, such as a file. */
  responseTo(name: string, body: unknown): Promise<Response>;
}

export async function openApi(
  storage: TableStorage,
  classes: readonly EntityClass[],
  isReadOnly = false,
): Promise<OpenApi> {
  const core = await loadCore();
  const catalog = new Catalog(core, isReadOnly ? readOnlyStorage(core, storage) : storage, {
    classes,
    isReadOnly,
  });
  const routes = routesOf({
    catalog,
    rows: new RowQueries(catalog),
    staged: new StagedChanges(catalog),
    jobs: new Jobs(catalog),
  });
  const sendAsIs = (
    name: string,
    body: unknown,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Response> => {
    const [method = "", path = ""] = name.split(" ");
    return runRoute(routes, changingRoutes, { method, path, body, signal }, isReadOnly);
  };
  // As it comes from the page: undefined members are left out.
  const send = (name: string, body?: unknown, signal?: AbortSignal): Promise<Response> =>
    sendAsIs(name, body === undefined ? undefined : JSON.parse(JSON.stringify(body)), signal);
  return {
    response: send,
    responseTo: sendAsIs,
    async ask<Result>(name: string, body?: unknown) {
      const { status, json } = await send(name, body);
      if (status !== 200) throw new Error((json as { message: string }).message);
      return JSON.parse(JSON.stringify(json)) as Result;
    },
  };
}
