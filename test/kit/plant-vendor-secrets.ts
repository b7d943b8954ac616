import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "./browser.js";
import type { Canaries } from "./canaries.js";
import { aConnection } from "./connections.js";
import { aCredential, anUnseenSecret } from "./credentials.js";
import { eventually } from "./eventually.js";
import { anInboundSource, asSpecified } from "./inbound-sources.js";
import { platform } from "./platform.js";
import { aProvider } from "./providers.js";
import { graphql, request } from "./request.js";

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Gives the platform the vendors' secrets, and lets it use them. Returns the answers that must not show any. */
export async function plantVendorSecrets(canaries: Canaries, token: string): Promise<Answer[]> {
  const answers = await Promise.all([
    plantKeys(canaries, token),
    plantTokens(canaries, token),
    plantDeliveries(canaries, token),
    plantRotations(canaries, token),
  ]);
  return answers.flat();
}

/** Keys as their owners make them, for the kinds SshKey and MutualTls. */
async function plantKeys(canaries: Canaries, token: string): Promise<Answer[]> {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, stdio: "ignore" });
  const readKey = (name: string) => readFile(join(folder, name), "utf8");
  try {
    run("ssh-keygen", "-q", "-t", "ed25519", "-C", "", "-N", "", "-f", "ssh");
    const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    run("openssl", "req", "-x509", ...newKey, "-days", "3", "-subj", "/CN=a", "-keyout", "key", "-out", "certificate");
    const ssh = { privateKey: await readKey("ssh"), knownHosts: `git.example ${await readKey("ssh.pub")}` };
    const tls = { privateKey: await readKey("key"), certificate: await readKey("certificate") };
    // an ssh key's first lines hold its public half
    canaries.add("an ssh key", ssh.privateKey.trim().split("\n").at(-3) ?? "");
    canaries.add("a client key", tls.privateKey.split("\n")[1] ?? "");
    const post = (kind: string, secret: object) =>
      request("POST /integrations/credentials", { token, body: { name: kind.toLowerCase(), kind, secret } });
    return [await post("SshKey", ssh), await post("MutualTls", tls)].map(accepted);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A vendor's tokens, and the secrets in the round trip by which a person authorizes a connection. */
async function plantTokens(canaries: Canaries, token: string): Promise<Answer[]> {
  const usedTokens = new Set<string>();
  const vendor = createServer(({ url, headers }, response) => {
    if (url === "/me") usedTokens.add(String(headers.authorization));
    const tokens = { access_token: canaries.plant("vendor access"), refresh_token: canaries.plant("vendor refresh") };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...tokens, token_type: "Bearer", expires_in: 600 }));
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  try {
    const issuer = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const oauth2 = {
      ...{ tokenUrl: `${issuer}/token`, authorizationUrl: `${issuer}/authorize` },
      clientAuthentication: "client_secret_basic",
    };
    const driver = { oauth2, probe: { method: "GET", path: "/me" } };
    const providerId = await aProvider(token, { key: "tokens", authModel: "OAuth2", baseUrl: issuer, driver });
    const secret = { clientId: "vendor", clientSecret: canaries.plant("vendor client secret") };
    const { credentialRef } = await aCredential(token, { kind: "OAuth2Client", secret });
    const machine = await aConnection(token, providerId, { authMode: "OAuth2ClientCredentials", credentialRef });
    const body = { providerId, displayName: "Mail", authMode: "OAuth2AuthorizationCode", credentialRef };
    const answer = await request<{ connectionId: string; authorizationUrl: string }>("POST /integrations/connections", {
      ...{ token, body },
    });
    accepted(answer);
    const { connectionId: person, authorizationUrl: link } = answer.body;
    canaries.add("a link to an authorization", link.split("/").at(-1) ?? "");
    const browser = new Browser(platform().publicUrl);
    const vendorPage = await browser.submit(await browser.open(link), {});
    const state = new URL(vendorPage.url).searchParams.get("state") ?? "";
    canaries.add("an OAuth state", state);
    for (const { value } of browser.cookies) canaries.add("the cookie of an authorization", value);
    const back = new URLSearchParams({ code: canaries.plant("authorization code"), state });
    const callbackPage = await browser.open(
      `${platform().publicUrl}/integrations/oauth/callback/${providerId}?${back.toString()}`,
    );
    // a token is stored before it is used
    await eventually("the tokens of both connections are used", () => usedTokens.size === 2);
    return [accepted(callbackPage), ...(await Promise.all([machine, person].map((id) => readConnection(token, id))))];
  } finally {
    vendor.closeAllConnections();
    vendor.close();
  }
}

const readConnection = (token: string, connectionId: string) =>
  request(`GET /integrations/connections/${connectionId}`, { token });

/** Deliveries that are recorded and refused. An event holds the delivery's payload unless it is too large for one. */
async function plantDeliveries(canaries: Canaries, token: string): Promise<Answer[]> {
  const source = await anInboundSource(token, { secret: canaries.plant("inbound secret") });
  const delivery = (providerDeliveryId: string) => ({
    ...{ providerDeliveryId, eventName: "key.created" },
    payload: { key: canaries.plant("payload"), padding: "x".repeat(70_000) },
  });
  const { pathname, search } = new URL(source.deliveryUrl);
  const send = (path: string, { headers, raw }: ReturnType<typeof asSpecified>) =>
    request(`POST ${path}`, { headers, raw });
  const goodAnswer = await send(pathname + search, asSpecified(source, delivery("whole")));
  const forgingSource = { ...source, secret: canaries.plant("another secret") };
  return [
    accepted(goodAnswer),
    await send(pathname + search, asSpecified(forgingSource, delivery("forged"))),
    await send("/webhooks/deliveries", { ...asSpecified(source, {}), raw: `{"a":"${canaries.plant("cut off")}` }),
  ];
}

/** Secrets from rotations: given, refused, generated, and generated by schedule, which a person sees later. */
async function plantRotations(canaries: Canaries, token: string): Promise<Answer[]> {
  const rotate = (body: object, headers = {}) =>
    request("POST /integrations/credentials/rotate", { token, body, headers });
  const apiKey = await aCredential(token, { kind: "ApiKey", secret: { apiKey: canaries.plant("rotated away") } });
  const signingSecret = await aCredential(token);
  const once = { "idempotency-key": canaries.plant("a key that is not secret").slice(-16) };
  const rotation = accepted(await rotate({ credentialId: signingSecret.credentialId }, once));
  canaries.add("a generated signing secret", String(rotation.body["signingSecret"]));
  const { credentialId } = await anUnseenSecret(token);
  const reveal = `mutation { revealSigningSecret(credentialId: "${credentialId}") { signingSecret } }`;
  const revelation = await graphql<{ revealSigningSecret: { signingSecret: string } }>(reveal, { token });
  canaries.add("a revealed signing secret", revelation.body.data.revealSigningSecret.signingSecret);
  return [
    accepted(await rotate({ credentialId: apiKey.credentialId, secret: { apiKey: canaries.plant("rotated") } })),
    await rotate({ credentialId: apiKey.credentialId, secret: { password: canaries.plant("of another kind") } }),
    await rotate({ credentialId: signingSecret.credentialId }, once),
    await graphql(reveal, { token }),
  ];
}

function accepted<A extends Answer>(answer: A): A {
  if (answer.status > 202) throw new Error(answer.text);
  return answer;
}
