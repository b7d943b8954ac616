/** The editors' places in GraphiQL, with the names for people who do not see them. */
const labels = [
  [".graphiql-query-editor textarea", "Query"],
  [".graphiql-editor-tool .graphiql-editor:nth-child(1) textarea", "Variables"],
  [".graphiql-editor-tool .graphiql-editor:nth-child(2) textarea", "Headers"],
  [".graphiql-response textarea", "Result"],
] as const;

/** Names the editors as soon as they are there: CodeMirror's text areas have no label. */
export function labelEditors(place: HTMLElement): void {
  const label = () => {
    for (const [selector, name] of labels)
      for (const area of place.querySelectorAll(`${selector}:not([aria-label])`)) area.setAttribute("aria-label", name);
  };
  new MutationObserver(label).observe(place, { childList: true, subtree: true });
}

/** Lets Tab lead out of an editor, which would keep the focus otherwise. In a list of completions it chooses one. */
export function leaveEditorsByTab(place: HTMLElement): void {
  const listener = (event: KeyboardEvent) => {
    if (event.key === "Tab" && document.querySelector(".CodeMirror-hints") === null) event.stopPropagation();
  };
  place.addEventListener("keydown", listener, { capture: true });
}
