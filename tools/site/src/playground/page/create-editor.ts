// Loaded on demand: most of it is CodeMirror.

import { javascript } from "@codemirror/lang-javascript";
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
    end: () => view.destroy(),
  };
}
