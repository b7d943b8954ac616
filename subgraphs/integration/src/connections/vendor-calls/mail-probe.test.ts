import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aCommandConnection } from "../../commands/vendor-commands/vendor-commands.fixture.js";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import type { MailServer } from "../../providers/provider-drivers/command-template.js";
import { aMailCertificate, aMailServer, type MailServerFixture } from "./smtp/mail-server.fixture.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";
import { VendorProbe } from "./vendor-probe.js";

let fixture: IntegrationFixture;
let server: MailServerFixture;
let authority: string;
let principal: Principal;
const names: string[] = [];

beforeAll(async () => {
  const { ca, cert, key } = await aMailCertificate();
  authority = ca;
  [fixture, server] = await Promise.all([
    sharedIntegration(),
    aMailServer({
      ...{ cert, key, authOptional: false },
      onAuth: ({ username, password }, session, accept) => {
        names.push(session.hostNameAppearsAs);
        if (password === "right") accept(null, { user: username });
        else accept(Object.assign(new Error("no"), { responseCode: 535 }));
      },
    }),
  ]);
});

beforeEach(() => {
  principal = aPrincipal();
  names.length = 0;
});

afterAll(async () => {
  await fixture.close();
  await server.close();
});

const login = (password: string) => ({ username: "me", password, ca: authority });

async function probed(smtp: MailServer, password: string, configuration: Record<string, string> = {}) {
  const driver = { smtp };
  const target = await aVendorTarget(fixture, principal, {
    ...{ authMode: "Basic", kind: "Basic", secret: login(password), driver, configuration },
  });
  return fixture.integration.get(VendorProbe).probe(target);
}

describe("the probe of a mail server", () => {
  const securedServer = () => ({ host: "localhost", port: server.port, security: "starttls" }) as const;

  it("logs in over TLS and leaves without a mail", async () => {
    expect(await probed(securedServer(), "right", { from: "me@sender.example" })).toMatchObject({ outcome: "ok" });
    expect(names).toEqual(["sender.example"]);
    expect(server.received).toEqual([]);
  });

  it("shows a password that the server rejects", async () => {
    expect(await probed(securedServer(), "wrong")).toMatchObject({ outcome: "rejected", status: undefined });
  });

  it("sends no line of the configuration as a command", async () => {
    await probed(securedServer(), "right", { from: "me@sender.example\r\nMAIL FROM:<eve@people.example>" });
    expect(names).toEqual(["localhost"]);
  });

  it("fails where the server has no TLS, and where there is no server", async () => {
    const plain = await aMailServer();
    const smtp = { host: "localhost", port: plain.port, security: "starttls" } as const;
    expect(await probed(smtp, "right")).toMatchObject({ outcome: "failed" });
    await plain.close();
    expect((await refusalOf(probed(smtp, "right"))).code).toBe("UPSTREAM_FAILED");
  });

  it("pauses after five attempts without an answer, and not after refusals", async () => {
    const goneServer = await aMailServer();
    const smtp = { host: "localhost", port: goneServer.port, security: "none" } as const;
    await goneServer.close();
    const codes: string[] = [];
    for (let tries = 0; tries < 6; tries += 1) codes.push((await refusalOf(probed(smtp, "right"))).code);
    expect(codes).toEqual([...Array.from({ length: 5 }, () => "UPSTREAM_FAILED"), "UNAVAILABLE"]);
    for (let tries = 0; tries < 6; tries += 1)
      expect(await probed(securedServer(), "wrong")).toMatchObject({ outcome: "rejected" });
    expect(await probed(securedServer(), "right")).toMatchObject({ outcome: "ok" });
  });

  it.each([
    ["right", "Healthy"],
    ["wrong", "Degraded"],
  ])("makes a new connection with the %s password %s", async (password, health) => {
    const { connectionId } = await aCommandConnection(fixture, principal, {
      ...{ capabilities: ["email.send"], driver: { smtp: securedServer() }, authMode: "Basic", kind: "Basic" },
      secret: login(password),
    });
    const checkedRow = await eventually(async () => {
      const healthQuery =
        "select health from integration.connections where connection_id = $1 and last_checked_at is not null";
      return (await fixture.rows<{ health: string }>(healthQuery, decodeId("con", connectionId)))[0];
    });
    expect(checkedRow.health).toBe(health);
  });
});
