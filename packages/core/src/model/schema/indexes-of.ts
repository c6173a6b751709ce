import type { KindChooser } from "../codec/choose-kind.ts";
import type { IndexOfClass } from "./index-states.ts";

/** The indexes of the given classes and of the kinds below them. */
export const indexesOf = ({
  models,
  kinds,
}: Pick<KindChooser, "models" | "kinds">): readonly IndexOfClass[] =>
  [...new Set([...models, ...kinds])].flatMap((model) => model.indexes.map((index) => ({ model, index })));
