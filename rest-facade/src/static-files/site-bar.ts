import { type Html, html } from "@factory/runtime/html/html";

const links = {
  "/docs": "REST API",
  "/docs/events": "Events",
  "/docs/guides": "Guides",
  "/graphql": "GraphQL",
} as const;
export type SiteLink = keyof typeof links;

/** The bar with the links to the pages for developers. Production serves no GraphiQL. */
export function siteBar(here: SiteLink, hasGraphiql: boolean): Html {
  const items = Object.entries(links)
    .filter(([address]) => hasGraphiql || address !== "/graphql")
    .map(([address, name]) =>
      address === here
        ? html`<li><a href="${address}" aria-current="page">${name}</a></li>`
        : html`<li><a href="${address}">${name}</a></li>`,
    );
  return html`<a class="site-skip" href="#content">Skip to the content</a>
<div class="site"><nav aria-label="Pages for developers"><ul>${items}</ul></nav></div>`;
}
