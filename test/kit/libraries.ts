import { graphql, type Json, request } from "./request.js";

export const aPackageName = () => `Pack.${Math.random().toString(36).slice(2)}`;

/** Registers a library and returns its id. */
export async function aLibrary(token: string, input: Record<string, unknown> = {}): Promise<string> {
  const answer = await request<{ libraryId: string }>("POST /v1/libraries", {
    token,
    body: { packageName: aPackageName(), ...input },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.libraryId;
}

/** Runs a mutation that returns a library version. The test checks its errors. */
export async function versionMutation(token: string, call: string): Promise<Json> {
  const { body } = await graphql(`mutation { ${call} { libraryVersionId status } }`, { token });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data)[0] as Json;
}

/** Moves a library version through every state and returns its id. */
export async function aRetiredVersion(token: string, libraryId: string): Promise<string> {
  const input = `{ semanticVersion: "9.9.9", publish: false }`;
  const { libraryVersionId } = await versionMutation(
    token,
    `registerLibraryVersion(libraryId: "${libraryId}", input: ${input})`,
  );
  const id = `libraryVersionId: "${String(libraryVersionId)}"`;
  await versionMutation(token, `publishLibraryVersion(${id})`);
  await versionMutation(token, `deprecateLibraryVersion(${id}, input: { reason: Legacy })`);
  await versionMutation(token, `retireLibraryVersion(${id}, input: { reason: "It leaks." })`);
  return String(libraryVersionId);
}
