/** A request that is refused. The page shows its message. */
export class RequestError extends Error {
  readonly status: number;
  /** Stable: `studio.read-only`. */
  readonly code: string;

  /** The property with the wrong value, for the form. */
  readonly property: string | undefined;

  constructor(status: number, code: string, message: string, property?: string) {
    super(message);
    this.name = "RequestError";
    this.status = status;
    this.code = code;
    this.property = property;
  }

  get isRequestError(): true {
    return true;
  }

  static is(value: unknown): value is RequestError {
    return (value as Partial<RequestError> | null | undefined)?.isRequestError === true;
  }

  static notFound(what: string): RequestError {
    return new RequestError(404, "studio.not-found", `There is no ${what}.`);
  }

  static wrongInput(message: string, property?: string): RequestError {
    return new RequestError(400, "studio.wrong-input", message, property);
  }

  static readOnly(): RequestError {
    return new RequestError(
      403,
      "studio.read-only",
      "This studio was opened read-only, so changes are refused.",
    );
  }
}
