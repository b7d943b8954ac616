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

/** A connection to a source-control vendor, with the secret for its deliveries. */
export interface SourceControlConnection {
  readonly connectionId: string;
  readonly providerId: string;
  /** The provider's key. */
  readonly key: string;
  readonly secret: string;
  /** Sends a delivery from the vendor and returns the answer's status. */
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
  const providerInput = { key, preset, category: "SourceControl", authModel, capabilities, baseUrl: vendor.baseUrl };
  const providerId = await aProvider(token, providerInput);
  return anotherSourceControlConnection(token, preset, { providerId, key }, vendorToken);
}

/** Connects to another account at the same provider, with a separate secret for its deliveries. */
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

/** Causes each event about pull requests: two are opened; one is merged, the other is closed and opened again. */
export async function movePullRequests(token: string, version: TestVersion): Promise<void> {
  const vendor = await aSourceControlVendor({ dialect: "github", token: "vendor-token" });
  await vendor.create("acme/orders");
  const { connectionId, secret, deliver } = await aSourceControlConnection(token, "github", vendor, "vendor-token");
  const openPullRequest = async (name: string) => {
    const target = { repository: "acme/orders", connectionId };
    const execution = (await executed(token, version, {
      parameters: { name },
      target,
    })) as ExecutionWithPullRequest;
    if (!execution.pullRequest) throw new Error(JSON.stringify(execution));
    return { ...execution, number: execution.pullRequest.number };
  };
  const [mergedExecution, closedExecution] = [await openPullRequest("Merged"), await openPullRequest("Closed")];
  const inState = (executionId: string, state: string) =>
    eventually(`the pull request is ${state}`, async () => {
      const path = `GET /v1/templates/${version.templateId}/executions/${executionId}`;
      return (await request<ExecutionWithPullRequest>(path, { token })).body.pullRequest?.state === state;
    });
  await deliver(await vendor.move(mergedExecution.number, "merge", secret));
  await inState(mergedExecution.executionId, "Merged");
  await deliver(await vendor.move(closedExecution.number, "close", secret));
  await inState(closedExecution.executionId, "Closed");
  await deliver(await vendor.move(closedExecution.number, "reopen", secret));
  await inState(closedExecution.executionId, "Open");
  await vendor.close();
}
