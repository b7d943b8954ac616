/** Lists that only the graph has, by the REST path where a caller looks for them. */
const graphLists = [
  { query: "templates", path: "/v1/templates", form: /^\/v1\/templates\/?$/ },
  { query: "libraries", path: "/v1/libraries", form: /^\/v1\/libraries\/?$/ },
  {
    query: "executions",
    path: "/v1/templates/{templateId}/executions",
    form: /^\/v1\/templates\/[^/]+\/executions\/?$/,
  },
];

/** Names the queries for readers of the OpenAPI document. */
export const graphListAdvice = `These lists are GraphQL queries at /graphql: ${graphLists
  .map(({ query, path }) => `\`${query}\` (instead of GET ${path})`)
  .join(", ")}.`;

/** Advice for a GET that no route answers; empty where the graph has no list for the path. */
export function adviceFor(method: string, path: string): string {
  const list = method === "GET" ? graphLists.find(({ form }) => form.test(path)) : undefined;
  return list ? ` This list is the GraphQL query \`${list.query}\` at /graphql.` : "";
}
