import { ownVersion } from "./own-version.ts";

/** What requests say of who sends them: `shop/1.2 partita/0.1.0 node/24.21.0`. */
export const userAgentOf = (applicationId: string | undefined): string =>
  `${applicationId === undefined ? "" : `${applicationId} `}partita/${ownVersion} node/${process.versions.node}`;
