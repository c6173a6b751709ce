import { sharedKeyText } from "@partita/core/protocol";
import { tableSasText } from "@partita/account/protocol";
import type { AccessPolicy } from "@partita/account";
import { ServiceFault } from "../wire/service-fault.ts";
import { type Access, accountAccess, fullAccess, type KeyRange, tableAccess } from "./access.ts";
import { dateOf, type Signatures } from "../authorization/authorize.ts";

/**
 * The signatures of a table service.
 *
 * @param policiesOf - reads a table's stored access policies
 */
export const tableSignatures = (
  policiesOf: (table: string) => Promise<readonly AccessPolicy[]>,
): Signatures<Access> => ({
  letter: "t",
  fullAccess,
  accountAccess,
  keyText(scheme, account, credentials) {
    const { method, path, query, header } = credentials;
    const comp = query.get("comp");
    return sharedKeyText(account, scheme, {
      method,
      path,
      contentType: header("content-type") ?? "",
      contentMd5: header("content-md5") ?? "",
      date: dateOf(credentials),
      ...(comp !== undefined && { comp }),
    });
  },
  serviceSas(account, { query }) {
    const table = query.get("tn");
    if (table === undefined) return undefined;
    return {
      text: tableSasText(account, Object.fromEntries(query)),
      policies: () => policiesOf(table),
      access: (permissions) => tableAccess({ table, permissions, range: rangeOf(query) }),
    };
  },
});

function rangeOf(query: ReadonlyMap<string, string>): KeyRange {
  const [spk, srk, epk, erk] = ["spk", "srk", "epk", "erk"].map((name) => query.get(name));
  if ((srk !== undefined && spk === undefined) || (erk !== undefined && epk === undefined))
    throw new ServiceFault("AuthenticationFailed");
  return {
    ...(spk !== undefined && { startPartitionKey: spk }),
    ...(srk !== undefined && { startRowKey: srk }),
    ...(epk !== undefined && { endPartitionKey: epk }),
    ...(erk !== undefined && { endRowKey: erk }),
  };
}
