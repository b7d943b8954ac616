import { GraphiQL, type GraphiQLProps } from "graphiql";
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { labelEditors, leaveEditorsByTab } from "./editor-access.js";
import { operationFetcher } from "./fetcher.js";
import { firstTabs } from "./first-tabs.js";
import { TokenForm } from "./token-form.js";

const place = document.getElementById("graphiql");
if (!place) throw new Error("The page has no element with the id graphiql");
const root = createRoot(place);
const form = new TokenForm(() => render());
const fetcher = operationFetcher({ origin: location.origin, token: () => form.text });
let renders = 0;

function render(): void {
  const properties: GraphiQLProps = {
    fetcher: fetcher as GraphiQLProps["fetcher"],
    defaultTabs: firstTabs,
    // variables can hold secrets, so that they end with the tab
    storage: sessionStorage,
    // null: without a token the schema is refused, so that it is not asked for
    ...(form.text === undefined && { schema: null }),
  };
  // another key, since GraphiQL reads the schema when it begins
  root.render(createElement(StrictMode, undefined, createElement(GraphiQL, { key: ++renders, ...properties })));
}

labelEditors(place);
leaveEditorsByTab(place);
render();
