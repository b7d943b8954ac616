import { call } from "@factory/platform/client/platform-api";
import type { Stage } from "./bench-platform.js";
import type { Contestant } from "./interleave.js";

const provider = {
  key: "bench-pay",
  displayName: "Bench Pay",
  category: "Payment",
  authModel: "None",
  capabilities: ["bench.charge"],
};

/** The catalog finds the API client, and integration returns the API client and its provider. */
const join = `query Join($input: SearchLibrariesInput!) {
  searchLibraries(input: $input) { results { apiClient { apiClientId key displayName category status provider { key displayName } } } }
}`;

const version = "templateVersionId semanticVersion status targetFramework";
const list = (versions: string) => `query List($first: Int!) {
  templates(first: $first) { items { templateId name category status versions { ${versions} } } }
}`;

export function oneById({ bare, platform, token, templates }: Stage): Contestant[] {
  const authorization = `Bearer ${token}`;
  const paths = templates.map(({ uuid }) => ({ path: `/v1/templates/${uuid}` }));
  const requests = templates.map(({ templateId }) => ({
    path: `/v1/templates/${templateId}`,
    headers: { authorization },
  }));
  return [
    { name: "bare fastify + pg", ...bare, requests: paths },
    { name: "platform, REST", url: platform.publicUrl, pid: platform.pid, requests },
  ];
}

/** The same read as a GraphQL operation over two subgraphs. */
export async function federatedJoin(stage: Stage): Promise<Contestant[]> {
  const { platform, token } = stage;
  const input = { capability: "bench.charge", includeApiClients: true };
  await call("POST", `${platform.publicUrl}/integrations/providers`, { token, body: provider });
  const matchCount = async () =>
    (
      await call<{ total: number }>("POST", `${platform.publicUrl}/v1/libraries/search`, {
        token,
        body: input,
      })
    ).body.total;
  // the catalog receives the API client by an event, which takes a moment
  for (let tries = 0; (await matchCount()) === 0 && tries < 200; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return overGraphql(stage, { path: "/v1/api-clients/bench-pay" }, { query: join, variables: { input } });
}

/** A release from before versions were a connection answers an array. */
export async function listOfTwenty(stage: Stage): Promise<Contestant[]> {
  const bodies = [`items { ${version} }`, version].map((versions) => ({
    query: list(versions),
    variables: { first: 20 },
  }));
  const { platform, token } = stage;
  const fits = (body: object) =>
    call<{ errors?: unknown }>("POST", `${platform.publicUrl}/graphql`, { token, body }).then(
      (answer) => !answer.body.errors,
      () => false,
    );
  const [present = {}, former = {}] = bodies;
  return overGraphql(stage, { path: "/v1/templates?first=20" }, (await fits(present)) ? present : former);
}

function overGraphql({ bare, platform, token }: Stage, bareRequest: { path: string }, body: object): Contestant[] {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = { method: "POST", path: "/graphql", headers, body: JSON.stringify(body) } as const;
  return [
    { name: "bare fastify + pg", ...bare, requests: [bareRequest] },
    { name: "platform, GraphQL", url: platform.publicUrl, pid: platform.pid, requests: [request] },
  ];
}
