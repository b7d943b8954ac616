import type { TLSSocket } from "node:tls";
import type { Principal } from "@factory/runtime/auth/principal";
import { aPrincipal, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { aMutualTls, type MutualTls } from "./mutual-tls.fixture.js";
import { aVendorServer, type VendorServer } from "./vendor.fixture.js";
import { VendorCalls } from "./vendor-calls.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";

describe("a connection by mutual TLS", () => {
  let fixture: IntegrationFixture;
  let tls: MutualTls;
  let vendor: VendorServer;
  const principal: Principal = aPrincipal();
  const clients: string[] = [];

  beforeAll(async () => {
    tls = aMutualTls();
    const { key, cert } = tls.server;
    [fixture, vendor] = await Promise.all([
      sharedIntegration(),
      aVendorServer({ key, cert, ca: tls.ca, requestCert: true, rejectUnauthorized: true }),
    ]);
    vendor.serve("/v1", ({ socket }, response) => {
      clients.push((socket as TLSSocket).getPeerCertificate().subject.CN as string);
      response.end();
    });
  });

  afterAll(async () => {
    await fixture.close();
    await vendor.close();
  });

  const call = async (authMode: string, secret: object, kind: string) => {
    const to = await aVendorTarget(fixture, principal, { authMode, kind, secret, baseUrl: `${vendor.origin}/v1` });
    return fixture.integration
      .get(VendorCalls)
      .call(to, { purpose: "command", method: "GET", path: "", retry: "never" });
  };
  const material = () => ({ certificate: tls.client.cert, privateKey: tls.client.key, ca: tls.ca });

  it("shows the client certificate of its credential", async () => {
    expect(await call("MutualTls", material(), "MutualTls")).toMatchObject({ status: 200 });
    expect(clients).toEqual(["client"]);
  });

  it("trusts the authorities of its credential for itself only", async () => {
    const { ca: _, ...withoutAuthority } = material();
    const expectedFailure = {
      code: "UPSTREAM_FAILED",
      facts: { detail: "A secure connection to the vendor cannot be made." },
    };
    expect(await refusalOf(call("MutualTls", withoutAuthority, "MutualTls"))).toMatchObject(expectedFailure);
    expect(await refusalOf(call("ApiKey", { apiKey: "key" }, "ApiKey"))).toMatchObject(expectedFailure);
    expect(clients).toHaveLength(1);
  });

  it("cannot use another certificate's key", async () => {
    const mixedMaterial = { ...material(), privateKey: tls.server.key };
    expect(await refusalOf(call("MutualTls", mixedMaterial, "Custom"))).toMatchObject({ code: "UPSTREAM_FAILED" });
    expect(clients).toHaveLength(1);
  });
});
