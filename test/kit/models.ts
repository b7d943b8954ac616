import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ModelInvocationDefinition } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { aConnection } from "./connections.js";
import { aCredential } from "./credentials.js";
import { GrpcChannels } from "./grpc-channels.js";
import { aProvider } from "./providers.js";

const script = fileURLToPath(
  new URL("../../subgraphs/integration/src/models-and-tools/model-invocation/model-server.fixture.ts", import.meta.url),
);

/** A model vendor in a separate process. A model's name says how it behaves. */
export async function aModelVendor() {
  const child = spawn(process.execPath, ["--no-warnings", script], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => void child.kill() };
}

/** Establishes a connection to a model vendor, by the preset for them. */
export async function aModelConnection(token: string, baseUrl: string): Promise<string> {
  const { credentialRef } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "good" } });
  const key = `models-${credentialRef.slice(-12)}`;
  const providerId = await aProvider(token, { key, preset: "openai-compatible", category: "Model", baseUrl });
  return aConnection(token, providerId, { authMode: "ApiKey", credentialRef });
}

/** Completes once with a success, and once with a failure. */
export async function invokeModels(token: string): Promise<void> {
  const vendor = await aModelVendor();
  const channels = new GrpcChannels();
  const connectionId = await aModelConnection(token, vendor.baseUrl);
  const models = (await channels.as("gateway")).client(ModelInvocationDefinition);
  const complete = (model: string) =>
    models.complete(
      { connectionId, model, messages: [{ role: "user", content: "hello" }] },
      { headers: { authorization: `Bearer ${token}` } },
    );
  await complete("echo");
  await complete("status-400").catch(() => undefined);
  channels.close();
  vendor.close();
}
