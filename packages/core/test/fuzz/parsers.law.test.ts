import { parseAccessPolicies, parseServiceProperties } from "@partita/account/protocol";
import { isLong } from "@partita/test-support/effort";
import { mutations } from "@partita/test-support/mutations";
import { expect, test } from "vitest";
import { atomFormat } from "../../src/stores/azure/wire/atom/atom-format.ts";
import { readAccount } from "../../src/stores/azure/credentials/connection-string.ts";
import { queueService } from "../../src/stores/azure/service.ts";
import { readFault } from "../../src/stores/azure/http/service-error.ts";
import { readTransactionResponse } from "../../src/stores/azure/wire/transaction-response.ts";
import { jsonFormat } from "../../src/stores/azure/wire/wire-format.ts";
import { parseFilter } from "../../src/values/filter/parse-filter.ts";
import { printFilter } from "../../src/values/filter/print-filter.ts";
import { TableError } from "../../src/index.ts";
import { canonicalDateTime } from "../../src/values/edm/date-time-text.ts";

// Long form: 100,000 executions of each.
const executions = isLong ? 100_000 : 10_000;

interface Parser {
  readonly parse: (text: string) => unknown;
  readonly seeds: readonly string[];
  readonly tokens: readonly string[];
}

const json = jsonFormat("full");
const atom = atomFormat();
const key = "a2V5";
const entity = `{"odata.metadata":"x","odata.etag":"W/\\"1\\"","PartitionKey":"p","RowKey":"r","Timestamp":"2026-11-21T00:00:00Z","L@odata.type":"Edm.Int64","L":"5","D":7.0,"T@odata.type":"Edm.DateTime","T":"2013-08-02T17:37:43.9004348Z"}`;
const entry = `<?xml version="1.0"?><entry xmlns="http://www.w3.org/2005/Atom" xmlns:d="d" xmlns:m="m" m:etag="W/&quot;1&quot;"><content type="application/xml"><m:properties><d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey><d:N m:type="Edm.Int32">9</d:N><d:X m:null="true"/><d:S xml:space="preserve"> &#xA; </d:S></m:properties></content></entry>`;
const jsonTokens = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "null",
  "1e400",
  "-0.0",
  "7.0",
  "__proto__",
  "\\u0000",
  '"value":',
  "@odata.type",
];
const xmlTokens = [
  "<",
  ">",
  "&",
  "&#x1;",
  "&#1114112;",
  "&lt;",
  "</",
  "/>",
  "<!DOCTYPE x [",
  "<!ENTITY a 'b'>",
  "<![CDATA[",
  "]]>",
  "<?",
  "?>",
  'm:null="true"',
  "<d:__proto__>",
  "<m:properties>",
  "--",
];

/** Every reader of what somebody else wrote. */
const parsers: Readonly<Record<string, Parser>> = {
  "filter text": {
    parse: (text) => printFilter(parseFilter(text)),
    seeds: [
      "A eq 1 and not (B gt 'x''y' or C le 5L)",
      "P ge datetime'2020-01-01T00:00:00Z' and X'0A' eq Q",
      "guid'a455c695-df98-5678-aaaa-81d3367e5a34' ne G and D lt 1.5e10 or B",
    ],
    tokens: [
      "(",
      ")",
      "'",
      "''",
      " and ",
      " or ",
      "not ",
      " eq ",
      " ne ",
      "datetime'",
      "guid'",
      "X'",
      "1L",
      "-1",
      "1e400",
      "null",
      "true",
      "\u0000",
      "é",
    ],
  },
  "a page in JSON": {
    parse: (text) => [json.parsePage(text, false), json.parsePage(text, true)],
    seeds: [`{"odata.metadata":"x","value":[${entity},${entity}]}`, '{"value":[]}'],
    tokens: jsonTokens,
  },
  "an entity in JSON": { parse: (text) => json.parseEntity(text), seeds: [entity], tokens: jsonTokens },
  "an entity in Atom": { parse: (text) => atom.parseEntity(text), seeds: [entry], tokens: xmlTokens },
  "a feed in Atom": {
    parse: (text) => [atom.parsePage(text, false), atom.parseTables(text)],
    seeds: [`<feed xmlns="a" xmlns:d="d" xmlns:m="m">${entry.replace(/<\?xml[^>]*>/, "")}</feed>`],
    tokens: xmlTokens,
  },
  "service documents": {
    parse: (text) => (text.includes("Signed") ? parseAccessPolicies(text) : parseServiceProperties(text)),
    seeds: [
      "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders>x-*</AllowedHeaders><ExposedHeaders></ExposedHeaders><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>",
      "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>2020-01-01</Start><Permission>raud</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
    ],
    tokens: xmlTokens,
  },
  "the answer to a transaction": {
    parse: (text) => readTransactionResponse(Buffer.from(text), 2, undefined),
    seeds: [
      '--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 No Content\r\nETag: W/"1"\r\n\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n\r\n--c--\r\n--b--\r\n',
      '--b\r\n\r\n--c\r\n\r\nHTTP/1.1 409 Conflict\r\n\r\n{"odata.error":{"code":"EntityAlreadyExists","message":{"value":"1:exists"}}}\r\n--c--\r\n--b--',
    ],
    tokens: [
      "\r\n",
      "\n",
      "--",
      "--c",
      "--c--",
      "HTTP/1.1 ",
      "HTTP/1.1 204 No Content\r\n",
      "204",
      "500",
      "ETag: ",
      "\u0000",
    ],
  },
  "an error's body": {
    parse: (text) => readFault(text),
    seeds: [
      '{"odata.error":{"code":"TableNotFound","message":{"lang":"en-US","value":"0:No.\\nRequestId:x"}}}',
      '<error xmlns="m"><code>A</code><message>B</message></error>',
      "<Error><Code>A</Code><Message>B</Message></Error>",
    ],
    tokens: [...jsonTokens, ...xmlTokens],
  },
  "a connection string of queues": {
    parse: (text) => readAccount(text, {}, queueService),
    seeds: [
      `AccountName=acct;AccountKey=${key};QueueEndpoint=https://x/;QueueSecondaryEndpoint=https://y/`,
      "https://acct.queue.core.windows.net?sv=1&sig=a",
    ],
    tokens: [";", "=", "QueueEndpoint=", "TableEndpoint=", "http://", ".table.", "sig=", "[::1]", "%00"],
  },
  "a connection string": {
    parse: (text) => readAccount(text),
    seeds: [
      `DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=${key};EndpointSuffix=core.windows.net`,
      "TableEndpoint=https://x/;SharedAccessSignature=sv=1&sig=a%3D",
      "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://127.0.0.1",
      "https://acct.table.core.windows.net?sv=1&sig=a",
    ],
    tokens: [
      ";",
      "=",
      "==",
      "AccountName=",
      "http://",
      "https://",
      "@",
      "#",
      "?",
      "sig=",
      "\r\n",
      "TableEndpoint=",
      "[::1]",
      "..",
      "%00",
    ],
  },
  "a time": {
    parse: (text) => canonicalDateTime(text),
    seeds: ["2013-08-02T17:37:43.9004348Z", "1601-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999+14:00"],
    tokens: ["-", ":", "T", "Z", "+", "00", "99", ".", "0000000", "e"],
  },
};

test.each(Object.entries(parsers))(
  "%s: only typed errors, and no hang",
  async (name, { parse, seeds, tokens }) => {
    const inputs = mutations({ seed: 7, seeds, tokens });
    let accepted = 0;
    let slowest = { ms: 0, length: 0 };
    for (let i = 0; i < executions; i++) {
      const input = inputs.next().value;
      const from = performance.now();
      try {
        await parse(input);
        accepted++;
      } catch (error) {
        // What is no JSON is told so by its reader's caller.
        const isTyped =
          error instanceof TableError || (name.includes("JSON") && error instanceof SyntaxError);
        if (!isTyped)
          throw new Error(`${name}: ${String(error)} for ${JSON.stringify(input)}`, { cause: error });
      }
      const ms = performance.now() - from;
      if (ms > slowest.ms) slowest = { ms, length: input.length };
    }
    // A fuzzer that is always refused at once would test nothing.
    expect(accepted).toBeGreaterThan(executions / 200);
    expect(Object.keys(Object.prototype)).toEqual([]);
    if (executions === 100_000)
      console.log(
        `${name}: ${accepted} of ${executions} accepted; slowest ${slowest.ms.toFixed(1)} ms for ${slowest.length} characters`,
      );
  },
);
