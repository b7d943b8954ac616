import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemErrorCode } from "@factory/runtime/errors/system-error";

/** The addresses at which developer tools reach a running platform. They are in runtime.json in DATA_DIR. */
export interface RunningPlatform {
  readonly publicUrl: string;
  readonly internalUrl: string;
}

/** An OAuth client and its secret. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Thrown for an answer with an unexpected status or body. The message shows the answer in one line. */
class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor(request: string, { status, body }: Answer<unknown>) {
    super(`${request} answered ${status}: ${JSON.stringify(body)}`);
  }
}

/** Reads a file in DATA_DIR, for example `runtime.json`. */
export async function readJson<T>(dataDir: string, file: string): Promise<T> {
  return JSON.parse(await readFile(join(dataDir, file), "utf8")) as T;
}

/**
 * Returns the platform that runs over DATA_DIR. A killed process leaves its runtime.json behind, so this calls the
 * platform and throws if it does not answer.
 */
export async function runningPlatform(dataDir: string): Promise<RunningPlatform> {
  try {
    const { localUrl, ...platform } = await readJson<RunningPlatform & { localUrl?: string }>(dataDir, "runtime.json");
    // PUBLIC_URL may not be reachable from this machine
    const publicUrl = localUrl ?? platform.publicUrl;
    await fetch(`${publicUrl}/livez`);
    return { ...platform, publicUrl };
  } catch {
    throw new Error(`No platform runs with the data directory ${dataDir}. Start it with "npm start".`);
  }
}

/**
 * Creates a terminal tool's error handler. It prints the error, after an invalid option also the usage, and exits with
 * code 1.
 */
export function failTool(usage: string): (error: unknown) => never {
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      systemErrorCode(error)?.startsWith("ERR_PARSE_ARGS") ? `${message}\n\n${usage}` : `${message}\n`,
    );
    process.exit(1);
  };
}

/** Sends a JSON request and throws UnexpectedAnswer unless it succeeds. */
export async function call<T>(
  method: "GET" | "POST" | "PUT",
  url: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer<T>> {
  const { token, body, headers } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? null : JSON.parse(text)) as T,
  };
  if (!response.ok) throw new UnexpectedAnswer(`${method} ${new URL(url).pathname}`, answer);
  return answer;
}

const busyMs = 60_000;

/** Gets a token with the grant client_credentials. Waits for a platform that is busy. Throws UnexpectedAnswer. */
export async function accessToken(
  { publicUrl }: RunningPlatform,
  client: ClientCredentials,
  scope?: string,
): Promise<string> {
  const credentials = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64");
  const ask = () =>
    fetch(`${publicUrl}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }),
    });
  let response = await ask();
  for (const deadline = Date.now() + busyMs; response.status === 503 && Date.now() < deadline; ) {
    await response.arrayBuffer();
    await sleep(1000 * Number(response.headers.get("retry-after") ?? 1));
    response = await ask();
  }
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token === undefined)
    throw new UnexpectedAnswer("POST /connect/token", { status: response.status, headers: response.headers, body });
  return body.access_token;
}

interface TenantBody {
  tenantId: string;
  slug: string;
  status: string;
}

const provisioningMs = 180_000;
const pauseMs = 50;

/** Returns the active tenant with this slug. Creates and provisions the tenant if necessary. */
export async function ensureTenant(
  platform: RunningPlatform,
  token: string,
  slug: string,
  name: string,
): Promise<TenantBody> {
  const list = `${platform.publicUrl}/v1/tenants?slug=${encodeURIComponent(slug)}`;
  const find = async () => (await call<{ items: TenantBody[] }>("GET", list, { token })).body.items[0];
  let tenant = await find();
  if (tenant === undefined) {
    const body = { name, slug, editionCode: "Standard", ownerEmail: `owner@${slug}.example` };
    tenant = (await call<TenantBody>("POST", `${platform.publicUrl}/v1/tenants`, { token, body })).body;
  }
  if (tenant.status !== "Active")
    await call("POST", `${platform.internalUrl}/v1/tenants/${tenant.tenantId}/provision`, { token });
  const deadline = Date.now() + provisioningMs;
  while (Date.now() < deadline) {
    const currentTenant = await find();
    if (currentTenant?.status === "Active") return currentTenant;
    if (currentTenant?.status === "ProvisioningFailed") break;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`Tenant ${slug} did not become Active`);
}

/** Creates an API client in a tenant. The token must belong to a platform administrator. */
export async function createTenantClient(
  platform: RunningPlatform,
  token: string,
  tenantId: string,
  client: { name: string; scopes: readonly string[] },
): Promise<ClientCredentials> {
  const query = `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
    createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret }
  }`;
  const variables = { tenantId, input: { ...client, principalType: "Service", grantTypes: ["client_credentials"] } };
  const answer = await call<{ data?: { createTenantApiClient: ClientCredentials | null }; errors?: unknown }>(
    "POST",
    `${platform.publicUrl}/graphql`,
    { token, body: { query, variables } },
  );
  const credentials = answer.body.data?.createTenantApiClient;
  if (!credentials) throw new UnexpectedAnswer("createTenantApiClient", answer);
  return credentials;
}
