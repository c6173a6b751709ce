import { brand } from "./brand.ts";
import { type ErrorDetails, TableError } from "./table-error.ts";

/**
 * A class was declared in a way that cannot be stored. Codes begin with `model.`.
 *
 * As a type, `ModelError<"sentence">` is the result of a wrong declaration: the compiler prints the sentence instead of
 * `never`.
 */
export class ModelError<Message extends string = string> extends TableError {
  static {
    brand(this, "ModelError");
  }

  declare readonly message: Message;

  constructor(code: string, message: Message, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(code, message, details, options);
  }
}
