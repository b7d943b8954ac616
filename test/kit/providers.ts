import { graphql, type Json, request } from "./request.js";

/** Registers a provider and returns its id. */
export async function aProvider(token: string, input: Record<string, unknown> = {}): Promise<string> {
  const answer = await request<{ providerId: string }>("POST /integrations/providers", {
    token,
    body: { key: "acme", displayName: "Acme", category: "Tool", authModel: "None", ...input },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.providerId;
}

/** Runs a mutation such as `deprecateProvider`. The test checks its errors. */
export async function movedProvider(token: string, move: string, providerId: string): Promise<Json> {
  const fields = "providerId status statusReason";
  const { body } = await graphql(`mutation { ${move}(providerId: "${providerId}") { ${fields} } }`, { token });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data)[0] as Json;
}

/** Changes a provider, moves it through every state and returns its id. */
export async function aRetiredProvider(token: string): Promise<string> {
  const providerId = await aProvider(token);
  const answer = await request(`PATCH /integrations/providers/${providerId}`, {
    token,
    body: { displayName: "Acme Inc." },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  for (const move of ["disableProvider", "enableProvider", "deprecateProvider", "retireProvider"])
    await movedProvider(token, move, providerId);
  return providerId;
}
