import type * as main from "@partita/core";
import type * as models from "@partita/core/models";
import type * as protocol from "@partita/core/protocol";
import type * as upgrades from "@partita/core/upgrades";

/** The entries of `@partita/core` that the studio uses, as one object. */
export type StudioCore = typeof main & typeof models & typeof protocol & typeof upgrades;

/** Loads the core beside this package; classes that another core declared need that one. */
export async function loadCore(): Promise<StudioCore> {
  return {
    ...(await import("@partita/core/protocol")),
    ...(await import("@partita/core/models")),
    ...(await import("@partita/core/upgrades")),
    ...(await import("@partita/core")),
  };
}
