import { aConnection } from "./connections.js";
import { aCredential } from "./credentials.js";
import { eventually } from "./eventually.js";
import { executed } from "./executions.js";
import { aVendorSecret } from "./inbound-sources.js";
import { aProvider } from "./providers.js";
import { request } from "./request.js";
import { aSourceControlVendor, type SourceControlVendor } from "./source-control-vendor.js";
import type { TestExecution, TestVersion } from "./templates.js";
import type { SentDelivery } from "./vendor-senders.js";

/** A connection to a source-control vendor, with the secret of its deliveries. */
export interface SourceControlConnection {
  readonly connectionId: string;
  readonly providerId: string;
  /** The key of the provider. */
  readonly key: string;
  readonly secret: string;
  /** Sends a delivery of the vendor and returns the status of the answer. */
  readonly deliver: (delivery: SentDelivery) => Promise<number>;
}

/** An execution with its pull request. */
export interface ExecutionWithPullRequest extends TestExecution {
  readonly target: { readonly repository: string; readonly branch: string; readonly connectionId: string | null };
  readonly pullRequest: {
    readonly number: number;
    readonly url: string;
    readonly state: string;
    readonly openedAt: string | null;
    readonly mergedAt: string | null;
    readonly closedAt: string | null;
  } | null;
}

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;

/** Registers a provider with a preset, and connects to it with a token. */
export async function aSourceControlConnection(
  token: string,
  preset: "github" | "gitlab",
  vendor: SourceControlVendor,
  vendorToken: string,
): Promise<SourceControlConnection> {
  const authModel = preset === "github" ? "BearerToken" : "ApiKey";
  const key = unique(preset);
  const capabilities = ["pull-requests.write", "webhooks.receive"];
  const registered = { key, preset, category: "SourceControl", authModel, capabilities, baseUrl: vendor.baseUrl };
  const providerId = await aProvider(token, registered);
  return anotherSourceControlConnection(token, preset, { providerId, key }, vendorToken);
}

/** Connects to another account at the same provider, with a secret for deliveries of its own. */
export async function anotherSourceControlConnection(
  token: string,
  preset: "github" | "gitlab",
  { providerId, key }: Pick<SourceControlConnection, "providerId" | "key">,
  vendorToken: string,
): Promise<SourceControlConnection> {
  const authModel = preset === "github" ? "BearerToken" : "ApiKey";
  const secret = aVendorSecret();
  const material = preset === "github" ? { token: vendorToken } : { apiKey: vendorToken };
  const { credentialRef } = await aCredential(token, { kind: authModel, secret: material });
  const signing = await aCredential(token, { kind: "VendorWebhookSecret", secret: { secret } });
  const configuration = { webhookSecretRef: signing.credentialRef };
  const connectionId = await aConnection(token, providerId, { authMode: authModel, credentialRef, configuration });
  return {
    ...{ connectionId, providerId, key, secret },
    async deliver({ headers, raw }) {
      return (await request(`POST /webhooks/deliveries/${key}?connection=${connectionId}`, { headers, raw })).status;
    },
  };
}

/** Causes each event of pull requests: two are opened, of which one is merged, and one is closed and opened again. */
export async function movePullRequests(token: string, version: TestVersion): Promise<void> {
  const vendor = await aSourceControlVendor({ dialect: "github", token: "vendor-token" });
  await vendor.create("acme/orders");
  const { connectionId, secret, deliver } = await aSourceControlConnection(token, "github", vendor, "vendor-token");
  const opened = async (name: string) => {
    const target = { repository: "acme/orders", connectionId };
    const execution = (await executed(token, version, {
      parameters: { name },
      target,
    })) as ExecutionWithPullRequest;
    if (!execution.pullRequest) throw new Error(JSON.stringify(execution));
    return { ...execution, number: execution.pullRequest.number };
  };
  const [one, other] = [await opened("Merged"), await opened("Closed")];
  const inState = (executionId: string, state: string) =>
    eventually(`the pull request is ${state}`, async () => {
      const path = `GET /v1/templates/${version.templateId}/executions/${executionId}`;
      return (await request<ExecutionWithPullRequest>(path, { token })).body.pullRequest?.state === state;
    });
  await deliver(await vendor.move(one.number, "merge", secret));
  await inState(one.executionId, "Merged");
  await deliver(await vendor.move(other.number, "close", secret));
  await inState(other.executionId, "Closed");
  await deliver(await vendor.move(other.number, "reopen", secret));
  await inState(other.executionId, "Open");
  await vendor.close();
}
