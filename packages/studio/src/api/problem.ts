/** The response to a request that is refused. */
export interface ApiProblem {
  /** Stable: `studio.read-only`. */
  readonly code: string;
  readonly message: string;
  /** The property with the wrong value, if it is known. */
  readonly property?: string | undefined;
}
