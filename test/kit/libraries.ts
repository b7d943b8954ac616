import { request } from "./request.js";

export const aPackageName = () => `Pack.${Math.random().toString(36).slice(2)}`;

/** The id of a registered library. */
export async function aLibrary(token: string, input: Record<string, unknown> = {}): Promise<string> {
  const registered = await request<{ libraryId: string }>("POST /v1/libraries", {
    token,
    body: { packageName: aPackageName(), ...input },
  });
  if (registered.status !== 201) throw new Error(registered.text);
  return registered.body.libraryId;
}
