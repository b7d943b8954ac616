import { once } from "node:events";
import { connect } from "node:net";
import type { Principal } from "@factory/runtime/auth/principal";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import type { MailServer } from "../../providers/provider-drivers/command-template.js";
import { VendorMailer } from "./mailer.js";
import { aMailCertificate, aMailServer, type MailServerFixture } from "./smtp/mail-server.fixture.js";
import { sendMail, type VendorMail } from "./smtp/mail-session.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";

let fixture: IntegrationFixture;
let principal: Principal;
const servers: MailServerFixture[] = [];

beforeAll(async () => {
  fixture = await sharedIntegration();
});

beforeEach(() => {
  principal = aPrincipal();
});

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
afterAll(() => fixture.close());

async function aServer(...options: Parameters<typeof aMailServer>): Promise<MailServerFixture> {
  const server = await aMailServer(...options);
  servers.push(server);
  return server;
}

const mail = {
  messageId: "<cmd_1@sender.example>",
  from: "factory@sender.example",
  to: ["ada@people.example"],
  cc: ["grace@people.example"],
  bcc: ["eve@people.example"],
  subject: "Hello\r\nBcc: mallory@people.example",
  text: "A text",
  html: "<p>A page</p>",
};

async function send(smtp: MailServer, secret?: Record<string, string>, change: Partial<VendorMail> = {}) {
  const authMode = secret ? "Basic" : "None";
  const target = await aVendorTarget(fixture, principal, {
    ...{ authMode, driver: { smtp }, kind: "Basic" },
    ...(secret && { secret }),
  });
  return fixture.integration.get(VendorMailer).send(target, smtp, { ...mail, ...change });
}

const refusalCode = async (...mailArguments: Parameters<typeof send>) => (await refusalOf(send(...mailArguments))).code;

describe("mail of a tenant", () => {
  it("reaches all recipients, hides the blind ones, and has one header for each field", async () => {
    const { port, received } = await aServer();
    expect(await send({ host: "127.0.0.1", port, security: "none" })).toBe(0);
    const [receivedMail] = received;
    expect(receivedMail).toMatchObject({ from: mail.from, to: [...mail.to, ...mail.cc, ...mail.bcc] });
    const [head = ""] = receivedMail?.text.split("\r\n\r\n") ?? [];
    expect(head).toContain("Message-ID: <cmd_1@sender.example>");
    expect(head).not.toMatch(/^bcc:/im);
    expect(head).not.toContain("eve@");
  });

  it("has the headers by which its recipient unsubscribes with one click", async () => {
    const { port, received } = await aServer();
    const listUnsubscribe = "<https://factory.example/connect/unsubscribe?token=a.b-c_d>";
    await send({ host: "127.0.0.1", port, security: "none" }, undefined, { listUnsubscribe });
    const [head = ""] = received[0]?.text.replaceAll("\r\n ", " ").split("\r\n\r\n") ?? [];
    expect(head.replaceAll("  ", " ")).toContain(`List-Unsubscribe: ${listUnsubscribe}\r\n`);
    expect(head).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  });

  it.each(["tls", "starttls"] as const)(
    "is sent with a login over %s to a server with a known authority",
    async (security) => {
      const { ca, cert, key } = await aMailCertificate();
      const { port, received } = await aServer({
        ...{ cert, key, secure: security === "tls", authOptional: false },
        onAuth: ({ username, password }, _session, finish) =>
          password === "right" ? finish(null, { user: username }) : finish(new Error("no")),
      });
      const server = { host: "localhost", port, security };
      expect(await send(server, { username: "me", password: "right", ca })).toBe(0);
      expect(received).toEqual([expect.objectContaining({ secure: true, user: "me" })]);
      expect(await refusalCode(server, { username: "me", password: "wrong", ca })).toBe("CREDENTIAL_REJECTED");
      expect(await refusalCode(server, { username: "me", password: "right" })).toBe("UPSTREAM_FAILED");
      expect(received).toHaveLength(1);
    },
  );

  it("is not sent without TLS where the server offers none", async () => {
    const { port, received } = await aServer();
    expect(await refusalCode({ host: "localhost", port, security: "starttls" })).toBe("VENDOR_REFUSED");
    expect(await refusalCode({ host: "localhost", port, security: "tls" })).toBe("UPSTREAM_FAILED");
    expect(received).toEqual([]);
  });

  it("goes to a local part outside of ASCII by a server with SMTPUTF8 only, and fails with a code without it", async () => {
    const [able, unable] = [await aServer(), await aServer({ hideSMTPUTF8: true })];
    const server = { host: "127.0.0.1", security: "none" } as const;
    const change = { cc: ["zoë@people.example"] };
    expect(await send({ ...server, port: able.port }, undefined, change)).toBe(0);
    expect(able.received[0]?.to).toContain("zoë@people.example");
    expect(await refusalCode({ ...server, port: unable.port }, undefined, change)).toBe("MAIL_ADDRESS_UNSUPPORTED");
    expect(unable.received).toEqual([]);
    expect(await send({ ...server, port: unable.port })).toBe(0);
  });

  it("does not reach private networks", async () => {
    const target = await aVendorTarget(fixture, principal, { authMode: "None" });
    const mailer = fixture.integration.get(VendorMailer);
    const sending = mailer.send(target, { host: "10.0.0.1", port: 587, security: "starttls" }, mail);
    expect((await refusalOf(sending)).code).toBe("TARGET_BLOCKED");
    const smtp = { host: "169.254.169.254", port: 587, security: "tls" };
    await expect(aVendorTarget(fixture, principal, { authMode: "None", driver: { smtp } })).rejects.toThrow(
      "not allowed",
    );
  });

  it("tells a refusal for ever from one for now and from silence, and names no recipient", async () => {
    let reply = 550;
    const { port } = await aServer({
      onRcptTo: (_address, _session, finish) =>
        finish(Object.assign(new Error("ada@people.example"), { responseCode: reply })),
    });
    const server = { host: "localhost", port, security: "none" } as const;
    const refusal = await refusalOf(send(server));
    expect(refusal.code).toBe("VENDOR_REFUSED");
    expect(`${refusal.message} ${JSON.stringify(refusal.facts)}`).not.toContain("ada@");
    reply = 450;
    expect(await refusalCode(server)).toBe("UPSTREAM_FAILED");
    let hasMail = false;
    const silent = await aServer({ onData: (stream) => void stream.resume().on("end", () => (hasMail = true)) });
    const waiting = refusalCode({ ...server, port: silent.port });
    await eventually(() => hasMail || undefined);
    silent.leave();
    expect(await waiting).toBe("OUTCOME_UNKNOWN");
  });

  it("does not wait for ever for a server that has the mail and is silent", async () => {
    let hasMail = false;
    const { port } = await aServer({ onData: (stream) => void stream.resume().on("end", () => (hasMail = true)) });
    // a slow machine needs more time to take the mail
    for (let silenceMs = 500; !hasMail; silenceMs *= 2) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      const session = {
        ...{ server: { host: "localhost", port, security: "none" as const }, socket, silenceMs },
        ...{ login: undefined, authorities: undefined, signal: new AbortController().signal },
      };
      const sending = sendMail({ ...mail, subject: "Hello", listUnsubscribe: undefined }, session);
      const failure = await sending.catch((error: unknown) => error);
      if (hasMail) expect(failure).toMatchObject({ step: "send", replyCode: undefined });
      expect(socket.destroyed).toBe(true);
    }
  });

  it("counts the recipients that the server refuses", async () => {
    const { port, received } = await aServer({
      onRcptTo: ({ address }, _session, finish) => finish(address.startsWith("eve") ? new Error("unknown") : null),
    });
    expect(await send({ host: "localhost", port, security: "none" })).toBe(1);
    expect(received[0]?.to).toEqual([...mail.to, ...mail.cc]);
  });
});
