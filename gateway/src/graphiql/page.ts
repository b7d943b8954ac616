import { fetcherScript } from "./fetcher.js";

const defaultQuery = `# Headers, below, take {"authorization": "Bearer …"}
# with the output of: npm run -s token
subscription {
  events(types: ["TemplateRegistered", "ScaffoldGenerated", "TemplateExecuted"]) {
    type
    cursor
    subject {
      ... on Template { name versions(first: 5) { items { semanticVersion } } }
      ... on Execution { status output { repository commitSha } }
    }
  }
}
`;

/**
 * The page's Content-Security-Policy. The scripts are inline, the editor starts workers from blobs, and fetch may call
 * this server only.
 */
export const pagePolicy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: 'self'; font-src data:; connect-src 'self' ws: wss:; frame-ancestors 'none'";

const start = "YogaGraphiQL.renderYogaGraphiQL(";

/** Returns GraphiQL's HTML. The package is 9 MB long, so the first request for the page loads it. */
export async function graphiqlPage(): Promise<string> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const page = renderGraphiQL({ title: "Factory platform", defaultQuery });
  // The options are written into the page as JSON, which cannot contain a function.
  const place = page.lastIndexOf(start);
  if (place === -1) throw new Error("The page of @graphql-yoga/render-graphiql does not begin as expected");
  const render = "((root, options) => YogaGraphiQL.renderYogaGraphiQL(root, { ...options, fetcher: factoryFetcher }))(";
  return `${page.slice(0, place)}${fetcherScript}\n${render}${page.slice(place + start.length)}`;
}
