import { type PageDocument, type ScriptPage, scriptPage } from "@factory/rest-facade/script-page";
import type { StaticFiles } from "@factory/rest-facade/static-files";
import { html } from "@factory/runtime/html/html";

/** The document of GraphiQL's page. Its script keeps the token in the tab's memory, and sends no form. */
export const graphiqlPage = (files: StaticFiles | undefined): PageDocument => scriptPage(files, page);

const page: ScriptPage = {
  title: "GraphQL of the software factory platform",
  here: "/graphql",
  hasGraphiql: true,
  style: "graphiql-style",
  scripts: ["graphiql"],
  content: html`<form id="token-form" class="token" aria-label="Access token">
<label for="token">Access token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-state">
<button>Use the token</button>
<button type="button" id="remove-token" hidden>Remove the token</button>
<p id="token-state" role="status"></p>
</form>
<main id="content"><h1 class="hidden">GraphQL</h1><div id="graphiql"></div></main>`,
};
