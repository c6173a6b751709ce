import { expect, test } from "vitest";
import { callSiteIn } from "../../src/context/request-budget.ts";

const trace = (...places: string[]): string[] => places.map((place) => `    at ${place}`);

test("the call site is the first line outside of the package", () => {
  const folder = "file:///app/node_modules/@partita/core/dist";

  expect(
    callSiteIn(
      trace(
        `callSite (${folder}/context/request-budget.js:30:10)`,
        `async Query.toArray (${folder}/query/query.js:1:1)`,
        "node:internal/process/task_queues:104:5",
        "processTicksAndRejections (ext:core/01_core.js:405:7)",
        "from (native:1:11)",
        "async showOrders (file:///app/orders.js:12:3)",
        "async file:///app/main.js:3:1",
      ),
    ),
  ).toBe("async showOrders (file:///app/orders.js:12:3)");
});

test("a request that nobody outside is seen to wait for has no call site", () => {
  const folder = "file:///app/node_modules/@partita/core/dist";

  expect(
    callSiteIn(
      trace(`callSite (${folder}/context/request-budget.js:30:10)`, `${folder}/context/save.js:1:1`),
    ),
  ).toBe("an unknown place");
});

test("the folder is found on Windows, and with spaces in its path", () => {
  const folder = "C:\\my app\\node_modules\\@partita\\core\\dist";

  expect(
    callSiteIn(
      trace(
        `callSite (${folder}\\context\\request-budget.js:30:10)`,
        `async Query.toArray (${folder}\\query\\query.js:1:1)`,
        "async C:\\my app\\orders.js:12:3",
      ),
    ),
  ).toBe("async C:\\my app\\orders.js:12:3");
});

test("in a bundle, what is outside of the bundle called it, or else the outermost caller", () => {
  const bundled = trace("callSite (/app/out/vendor.cjs:900:1)", "async toArray (/app/out/vendor.cjs:800:1)");

  expect(callSiteIn([...bundled, ...trace("async main (/app/out/app.cjs:7:1)")])).toBe(
    "async main (/app/out/app.cjs:7:1)",
  );
  expect(callSiteIn([...bundled, ...trace("async main (/app/out/vendor.cjs:1000:1)")])).toBe(
    "async main (/app/out/vendor.cjs:1000:1)",
  );
  expect(callSiteIn([])).toBe("an unknown place");
});
