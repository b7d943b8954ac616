import type { ClientTls } from "@factory/runtime/egress/egress";
import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import type { SecretMaterial } from "../../../credentials/credentials/secret-store.js";
import { credentialUnusable } from "../exchange/call-failure.js";

/** The first member that is a text. */
export function optionalMember(material: SecretMaterial, ...names: readonly string[]): string | undefined {
  return names
    .filter((name) => Object.hasOwn(material, name))
    .map((name) => material[name])
    .find((value): value is string => typeof value === "string" && value !== "");
}

/** Throws CREDENTIAL_UNUSABLE, whose detail names the member and never a value. */
export function member(material: SecretMaterial, ...names: readonly string[]): string {
  const value = optionalMember(material, ...names);
  if (value === undefined)
    throw credentialUnusable(
      `The credential needs the member ${names.join(" or ")} for the mode of the connection. Rotate the credential to a secret that has it.`,
    );
  return value;
}

/** A secret that is sent in a header must be visible ASCII (RFC 9110, section 5.5), or it could add a header. */
export function headerValue(value: string): string {
  if (!/^[\x20-\x7e]+$/.test(value))
    throw credentialUnusable("The credential has a character that cannot be sent in a header.");
  return value;
}

/** Throws CREDENTIAL_UNUSABLE when the credential names hosts and the URL is at another one. */
export function requireHost(material: SecretMaterial, url: URL): void {
  const { hosts } = material;
  if (hosts === undefined) return;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const hostNames = [url.host, `${url.hostname}:${port}`];
  if (!Array.isArray(hosts) || !hosts.some((host) => hostNames.includes(asciiAuthority(String(host)))))
    throw credentialUnusable("The credential is for other hosts. Add the host of the vendor to its member hosts.");
}

/** The client certificate for the mode MutualTls. */
export function clientTls(material: SecretMaterial): ClientTls {
  const authorities = optionalMember(material, "ca");
  return {
    certificate: member(material, "certificate"),
    privateKey: member(material, "privateKey"),
    ...(authorities !== undefined && { authorities }),
  };
}
