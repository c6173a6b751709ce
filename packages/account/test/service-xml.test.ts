import { expect, test } from "vitest";
import type { AccessPolicy, ServiceProperties } from "../src/index.ts";
import {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
} from "../src/protocol.ts";

test("printed properties are parsed as they were", () => {
  const metrics = { version: "1.0", enabled: true, includeApis: true, retentionDays: 7 };
  const properties: ServiceProperties = {
    logging: { version: "1.0", read: true, write: false, delete: true },
    hourMetrics: metrics,
    minuteMetrics: { version: "1.0", enabled: false },
    cors: [
      {
        allowedOrigins: ["https://a.example", "https://b.example"],
        allowedMethods: ["GET"],
        allowedHeaders: ["x-ms-*"],
        exposedHeaders: [],
        maxAgeSeconds: 60,
      },
    ],
  };

  expect(parseServiceProperties(printServiceProperties(properties))).toEqual(properties);
});

test("printed access policies are parsed as they were", () => {
  const policies: AccessPolicy[] = [
    { id: "readers & <writers>", permissions: "ra", expiresAt: "2027-01-01T00:00:00Z" },
    { id: "nothing" },
  ];

  expect(parseAccessPolicies(printAccessPolicies(policies))).toEqual(policies);
});
