import type { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { SecretsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/secrets";
import { secretResolver } from "./secret-resolver.js";

describe("secretResolver", () => {
  it("asks for the secret of the tenant with its purpose and subject, and reads the material", async () => {
    const requests: unknown[] = [];
    const resolve = async (...request: unknown[]) => {
      requests.push(...request);
      return { kind: "BearerToken", version: 3, material: Buffer.from('{"token":"t"}'), more: "of a later release" };
    };
    const client = (definition: unknown) => (definition === SecretsDefinition ? { resolve } : undefined);
    const resolver = secretResolver({ client } as unknown as GrpcChannel);
    const options = { trace: continueTrace(undefined), signal: new AbortController().signal };
    const secret = await resolver.resolve("ten_1", "vault/one", "template-source", "executions/exe_1", options);
    expect(secret).toEqual({ kind: "BearerToken", version: 3, material: { token: "t" } });
    const request = {
      tenantId: "ten_1",
      credentialRef: "vault/one",
      purpose: "template-source",
      subject: "executions/exe_1",
    };
    expect(requests).toEqual([request, options]);
  });
});
