import type * as main from "@partita/core";
import type * as internal from "@partita/core/internal";
import type * as maintenance from "@partita/maintenance";
import type * as models from "@partita/core/models";
import type * as protocol from "@partita/core/protocol";

/** The entries of `@partita/core` that the studio uses, as one object. */
export type StudioCore = typeof main & typeof internal & typeof maintenance & typeof models & typeof protocol;

/** Loads the core of this package. Classes that another core declared need that one. */
export async function loadCore(): Promise<StudioCore> {
  return {
    ...(await import("@partita/core/internal")),
    ...(await import("@partita/core/protocol")),
    ...(await import("@partita/core/models")),
    ...(await import("@partita/maintenance")),
    ...(await import("@partita/core")),
  };
}
