import { member } from "../../../connections/vendor-calls/authentication/material.js";
import { credentialUnusable } from "../../../connections/vendor-calls/exchange/call-failure.js";
import type { VendorTarget } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { CredentialService } from "../../../credentials/credentials/credential.service.js";

const modes: readonly string[] = ["ApiKey", "BearerToken"];

/**
 * The environment that shows a program the credential of a connection: none for the mode None. Throws CREDENTIAL_UNUSABLE,
 * and what `CredentialService.openVersion` throws.
 */
export async function programCredential(
  credentials: CredentialService,
  { tenant, cause, connection, credentialVersion }: VendorTarget,
  variable: string,
): Promise<Record<string, string>> {
  const { authMode, credentialId } = connection;
  if (authMode === "None") return {};
  if (!modes.includes(authMode) || credentialId === null)
    throw credentialUnusable(
      `A program of the operator gets a token. The connection needs a credential and one of the modes ${modes.join(", ")}, or the mode None.`,
    );
  const { material } = await credentials.openVersion(tenant, cause, credentialId, credentialVersion ?? "current");
  if (material["hosts"] !== undefined)
    throw credentialUnusable("The credential is for the hosts that it names, and a program is none of them.");
  const token = member(material, "token", "apiKey", "key", "accessToken");
  if (!/^[\x20-\x7e]+$/.test(token))
    throw credentialUnusable("The credential has a character that an environment variable cannot have.");
  return { [variable]: token };
}
