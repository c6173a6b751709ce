// Loaded on demand: most of it is CodeMirror.

import { javascript, javascriptLanguage } from "@codemirror/lang-javascript";
import { syntaxHighlighting } from "@codemirror/language";
import { classHighlighter } from "@lezer/highlight";
import { EditorView, minimalSetup } from "codemirror";

export interface EditorOptions {
  readonly text: string;
  readonly label: string;
  readonly onInput: (text: string) => void;
}

export interface Editor {
  /** Replaces the text, if it is another one. */
  show(text: string): void;
  /** The line of the first error in the syntax; in parentheses, an object is an expression. */
  errorLine(isExpression: boolean): number | undefined;
  end(): void;
}

export function createEditor(parent: Element, { text, label, onInput }: EditorOptions): Editor {
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      minimalSetup,
      javascript(),
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onInput(state.doc.toString());
      }),
    ],
  });
  return {
    show(other) {
      const { doc } = view.state;
      if (doc.toString() !== other) view.dispatch({ changes: { from: 0, to: doc.length, insert: other } });
    },
    errorLine(isExpression) {
      const { doc } = view.state;
      const [open, close] = isExpression ? ["(", ")"] : ["", ""];
      let line: number | undefined;
      javascriptLanguage.parser.parse(open + doc.toString() + close).iterate({
        enter: ({ type, from }) => {
          if (type.isError) line ??= doc.lineAt(Math.max(0, Math.min(from - open.length, doc.length))).number;
        },
      });
      return line;
    },
    end: () => view.destroy(),
  };
}
