import type { JSX } from "preact";
import { textParts } from "./printable.ts";

/** Text of a storage: isolated from its surroundings, in its own direction, with visible codes. */
export function ValueText({ text }: { readonly text: string }): JSX.Element {
  if (text === "") return <i class="odd">(empty)</i>;
  return (
    <bdi>
      {textParts(text).map((part, at) =>
        part.isCode ? (
          <span key={at} class="code">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </bdi>
  );
}
