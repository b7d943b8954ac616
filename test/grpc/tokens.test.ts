import { serviceIdentities } from "@factory/runtime/grpc/service-identity";
import { TokensDefinition } from "@factory/schema/proto/generated/factory/spine/v1/tokens";
import { tenantScopes } from "@factory/schema/scopes";
import { decodeJwt } from "jose";
import { eventually } from "../kit/eventually.js";
import { forgedTokens } from "../kit/forged-tokens.js";
import { GrpcChannels } from "../kit/grpc-channels.js";
import { opensslClient } from "../kit/openssl-clients.js";
import { aTenant, moved, type TestTenant } from "../kit/tenants.js";

describe("spine.v1.Tokens/Introspect", () => {
  const channels = new GrpcChannels();
  let tenant: TestTenant;
  let token: string;
  const clientAs = async (...parameters: Parameters<GrpcChannels["as"]>) =>
    (await channels.as(...parameters)).client(TokensDefinition);
  const inactive = { active: false, subject: "", tenantId: "", scopes: [], expiresAt: 0 };

  beforeAll(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
  });
  afterAll(() => channels.close());

  it("tells every service of the platform what is in an active token", async () => {
    const claims = decodeJwt(token);
    for (const identity of serviceIdentities) {
      const answer = await (await clientAs(identity)).introspect({ token });
      expect(answer).toMatchObject({
        active: true,
        subject: claims.sub,
        clientId: claims["client_id"],
        tenantId: tenant.tenantId,
        tenantSlug: tenant.slug,
        principalType: "Service",
        expiresAt: claims.exp,
        issuedAt: claims.iat,
        tokenId: claims.jti,
        platformAdmin: false,
        actors: [],
      });
      expect([...answer.scopes].sort()).toEqual([...tenantScopes].sort());
    }
  });

  it("answers forged tokens, and those of a suspended tenant, with nothing but inactive", async () => {
    const client = await clientAs("product");
    for (const forgery of Object.values(await forgedTokens(token)))
      expect(await client.introspect({ token: forgery })).toMatchObject(inactive);
    const suspendedTenant = await aTenant();
    const lostToken = await suspendedTenant.tokenWith();
    expect(await client.introspect({ token: lostToken })).toMatchObject({ active: true });
    await moved(suspendedTenant, "suspendTenant");
    await eventually("the suspension acts", async () => !(await client.introspect({ token: lostToken })).active);
    expect(await client.introspect({ token: lostToken })).toMatchObject(inactive);
  });

  it("refuses an empty token, and clients without the right certificate", async () => {
    await expect((await clientAs("product")).introspect({})).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    const platformName = opensslClient({ names: "DNS:product.factory.internal" });
    expect(await (await clientAs(platformName)).introspect({ token })).toMatchObject({ active: true });
    const foreignName = opensslClient({ names: "DNS:product.example" });
    await expect((await clientAs(foreignName)).introspect({ token })).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
    const strange = opensslClient({ names: "DNS:product.factory.internal", ownAuthority: true });
    await expect((await clientAs(strange)).introspect({ token })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
