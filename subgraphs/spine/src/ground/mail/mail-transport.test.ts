import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAuthority, makeServiceCertificate } from "@factory/runtime/grpc/certificate-authority";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { renderMail } from "./mail.js";
import { type MailTransport, openMailTransport, smtpOptions } from "./mail-transport.js";

const logger = createLogger("mail-test", "silent");
const from = "Factory <no-reply@factory.example>";
const mail = renderMail({
  to: "ada@people.example",
  subject: "You are invited",
  paragraphs: ["<b>Ada & Grace</b>"],
  link: { label: "Accept", url: "https://factory.example/?a=1&b=2" },
});

interface Received {
  from: string;
  to: string[];
  text: string;
}

const running: { close(): void }[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.close();
});

async function aServer(options: SMTPServerOptions = {}): Promise<{ port: number; received: Received[] }> {
  const receivedMails: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.secure ? [] : ["STARTTLS"],
    ...options,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        receivedMails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        callback();
      });
    },
  });
  // a client that leaves in the middle is an error to it
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  running.push({ close: () => server.close() });
  const address = server.server.address();
  return { port: typeof address === "object" && address ? address.port : 0, received: receivedMails };
}

function aTransport(smtpUrl: string, certificateAuthority?: string): MailTransport {
  const transport = openMailTransport(
    { smtpUrl, from, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) },
    logger,
  );
  running.push(transport);
  return transport;
}

async function certificates() {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authority = await makeAuthority(validity);
  const { certificate, key } = await makeServiceCertificate([{ type: "dns", value: "localhost" }], authority, validity);
  return { authority: authority.certificate.toString(), cert: certificate, key };
}

describe("mail over SMTP", () => {
  it("arrives with a text and an HTML part, and with the same id when sent twice", async () => {
    const { port, received } = await aServer();
    const transport = aTransport(`smtp://127.0.0.1:${port}`);
    await transport.deliver("msg_one", mail);
    await transport.deliver("msg_one", mail);
    const [first, second] = received;
    expect(first).toMatchObject({ from: "no-reply@factory.example", to: ["ada@people.example"] });
    expect(first?.text).toContain("Message-ID: <msg_one@factory.example>");
    expect(second?.text).toContain("Message-ID: <msg_one@factory.example>");
    expect(first?.text).toContain("Content-Type: text/plain");
    expect(first?.text).toContain("&lt;b&gt;Ada &amp; Grace&lt;/b&gt;");
    expect(first?.text).not.toContain("<p><b>");
  });

  it("signs in with the user and password of the URL", async () => {
    let login: string | undefined;
    const { port, received } = await aServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, callback) {
        login = `${username}:${password}`;
        callback(null, { user: username });
      },
    });
    await aTransport(`smtp://mail%40er:p%3Ass@127.0.0.1:${port}`).deliver("msg_two", mail);
    expect(login).toBe("mail@er:p:ss");
    expect(received).toHaveLength(1);
  });

  it("refuses a certificate of an unknown authority", async () => {
    const { authority, cert, key } = await certificates();
    const { port, received } = await aServer({ secure: true, cert, key });
    const url = `smtps://localhost:${port}`;
    await expect(aTransport(`${url}?tls.rejectUnauthorized=false`).deliver("msg_three", mail)).rejects.toThrow(
      "The mail server did not accept the mail",
    );
    expect(received).toEqual([]);
    await aTransport(url, authority).deliver("msg_three", mail);
    expect(received).toHaveLength(1);
  });

  it("reaches another machine only over TLS", () => {
    expect(smtpOptions({ smtpUrl: "smtp://mail.example" })).toMatchObject({
      requireTLS: true,
      port: 587,
      secure: false,
    });
    expect(smtpOptions({ smtpUrl: "smtps://mail.example" })).toMatchObject({ port: 465, secure: true });
    expect(smtpOptions({ smtpUrl: "smtps://mail.example?ignoreTLS=true&logger=true" })).not.toHaveProperty("logger");
  });

  it("fails without naming the recipient, the password or the reply of the server", async () => {
    const { port } = await aServer({
      onRcptTo({ address }, _session, callback) {
        callback(Object.assign(new Error(`no ${address} here`), { responseCode: 550 }));
      },
    });
    const failure: unknown = await aTransport(`smtp://me:hidden@127.0.0.1:${port}`)
      .deliver("msg_four", mail)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    const errorTexts = `${String(failure)} ${JSON.stringify(failure)} ${(failure as Error).stack}`;
    expect(errorTexts).toContain("did not accept the mail");
    for (const secret of ["ada@", "hidden"]) expect(errorTexts).not.toContain(secret);
  });

  it.each([
    [550, true],
    [452, false],
  ])("tells by the reply %d whether another attempt can help", async (responseCode, isPermanent) => {
    const { port } = await aServer({
      onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error("no"), { responseCode })),
    });
    const delivery = aTransport(`smtp://127.0.0.1:${port}`).deliver("msg_reply", mail);
    await expect(delivery).rejects.toMatchObject({
      isPermanent,
      message: expect.stringContaining(String(responseCode)),
    });
  });

  it("ends with its signal where a server answers byte by byte", async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on("error", () => undefined));
      const drip = setInterval(() => socket.write("2"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    running.push({ close: () => server.close() });
    const { port } = server.address() as AddressInfo;
    const since = performance.now();
    const delivery = aTransport(`smtp://127.0.0.1:${port}`).deliver("msg_drip", mail, AbortSignal.timeout(300));
    await expect(delivery).rejects.toMatchObject({ isPermanent: false, message: expect.stringContaining("ETIMEDOUT") });
    // without its signal it would go on for as long as bytes come
    expect(performance.now() - since).toBeLessThan(20_000);
    const [socket] = sockets;
    await new Promise<void>((resolve) => (socket?.destroyed ? resolve() : socket?.once("close", () => resolve())));
  });

  it("has the headers by which its recipient unsubscribes, and no others", async () => {
    const { port, received } = await aServer();
    const transport = aTransport(`smtp://127.0.0.1:${port}`);
    await transport.deliver("msg_list", { ...mail, listUnsubscribe: "<https://factory.example/u?token=a.b>" });
    await transport.deliver("msg_none", mail);
    expect(received[0]?.text).toContain("List-Unsubscribe: <https://factory.example/u?token=a.b>\r\n");
    expect(received[0]?.text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    expect(received[1]?.text).not.toContain("List-Unsubscribe");
  });

  it.each([
    "a@b.example\r\nBcc: c@d.example",
    "a@b.example, c@d.example",
    "<a@b.example>",
    "a@b.example\u0000",
    "nobody",
    "",
  ])("is not sent to %j", async (to) => {
    const { port, received } = await aServer();
    await expect(aTransport(`smtp://127.0.0.1:${port}`).deliver("msg_five", { ...mail, to })).rejects.toThrow(
      "malformed",
    );
    expect(received).toEqual([]);
  });

  it.each([
    ["Acme", "Factory <no-reply@factory.example>", "Acme via Factory <no-reply@factory.example>"],
    ["Acme", '"Factory, Inc." <no-reply@factory.example>', '"Acme via Factory, Inc." <no-reply@factory.example>'],
    ["Acme", "no-reply@factory.example", "Acme <no-reply@factory.example>"],
    ['Eve" <eve@evil.example>,', "no-reply@factory.example", '"Eve\\" <eve@evil.example>," <no-reply@factory.example>'],
    [
      "Eve\r\nBcc: eve@evil.example\r\n\r\nbody",
      "Factory <no-reply@factory.example>",
      '"Eve Bcc: eve@evil.example body via Factory" <no-reply@factory.example>',
    ],
  ])("is from the platform in the name of %j", async (senderName, platform, from) => {
    const { port, received } = await aServer();
    const transport = openMailTransport({ smtpUrl: `smtp://127.0.0.1:${port}`, from: platform }, logger);
    running.push(transport);
    await transport.deliver("msg_from", { ...mail, senderName });
    const [head = ""] = received[0]?.text.split("\r\n\r\n") ?? [];
    expect(/^From: (.*(?:\r\n .*)*)$/m.exec(head)?.[1]?.replaceAll("\r\n ", " ")).toBe(from);
    expect(head).not.toMatch(/^bcc:/im);
    expect(received[0]).toMatchObject({ from: "no-reply@factory.example", to: ["ada@people.example"] });
    expect(head).toContain("Message-ID: <msg_from@factory.example>");
  });

  it("tells whether the server took no mail at all", async () => {
    const refusing = await aServer({
      onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error("no"), { responseCode: 450 })),
    });
    const closedServer = await aServer({ onConnect: (_session, callback) => callback(new Error("busy")) });
    for (const [{ port }, isUnreachable] of [
      [refusing, false],
      [closedServer, true],
    ] as const)
      await expect(aTransport(`smtp://127.0.0.1:${port}`).deliver("msg_reach", mail)).rejects.toMatchObject({
        ...{ isUnreachable, isPermanent: false },
      });
  });

  it("has no header that a subject has injected", async () => {
    const { port, received } = await aServer();
    const hostile = renderMail({
      to: "ada@people.example",
      subject: "Hello\r\nBcc: eve@evil.example\r\n\r\nnew body",
      paragraphs: [],
    });
    await aTransport(`smtp://127.0.0.1:${port}`).deliver("msg_six", hostile);
    expect(received[0]?.to).toEqual(["ada@people.example"]);
    const [head = ""] = received[0]?.text.split("\r\n\r\n") ?? [];
    expect(head).toContain("Subject: Hello Bcc: eve@evil.example new body");
    expect(head).not.toMatch(/^bcc:/im);
  });
});

describe("mail to an international address", () => {
  const deliver = async (to: string, options?: SMTPServerOptions) => {
    const { port, received } = await aServer(options);
    await aTransport(`smtp://127.0.0.1:${port}`).deliver("msg_intl", { ...mail, to });
    return received;
  };

  it("reaches a domain outside of ASCII by any server, which sees the domain in ASCII", async () => {
    for (const to of ["ada@xn--bcher-kva.example", "ada@bücher.example"]) {
      const [mail] = await deliver(to, { hideSMTPUTF8: true });
      expect(mail?.text).toContain("To: ada@xn--bcher-kva.example");
    }
  });

  it("reaches a local part outside of ASCII by a server with SMTPUTF8", async () => {
    let parameters: unknown;
    const mails = await deliver("zoë@people.example", {
      onMailFrom({ args }, _session, callback) {
        parameters = args;
        callback();
      },
    });
    expect([mails[0]?.to, parameters]).toEqual([["zoë@people.example"], expect.objectContaining({ SMTPUTF8: true })]);
  });

  it("fails for ever with a code by a server without SMTPUTF8, before the server has got anything", async () => {
    let began = false;
    const delivery = deliver("zoë@people.example", {
      hideSMTPUTF8: true,
      onMailFrom(_address, _session, callback) {
        began = true;
        callback();
      },
    });
    await expect(delivery).rejects.toMatchObject({
      ...{ code: "MAIL_NOT_DELIVERED", message: "MAIL_ADDRESS_UNSUPPORTED", isPermanent: true, isUnreachable: false },
    });
    expect(began).toBe(false);
  });
});

describe("mail without a server", () => {
  it("is written to files that only their owner can read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mail-"));
    try {
      const outbox = join(folder, "outbox");
      await openMailTransport({ outbox }, logger).deliver("msg_seven", mail);
      const [file = "", ...more] = await readdir(outbox);
      expect(more).toEqual([]);
      expect(file).toMatch(/^\d{4}-.*Z-msg_seven\.eml$/);
      expect((await stat(join(outbox, file))).mode & 0o777).toBe(0o600);
      expect((await stat(outbox)).mode & 0o777).toBe(0o700);
      expect(await readFile(join(outbox, file), "utf8")).toContain("To: ada@people.example");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("is not sent without settings, and the log names the missing setting", async () => {
    const lines: string[] = [];
    await openMailTransport(undefined, keepingLogger(lines)).deliver("msg_eight", mail);
    expect(lines).toEqual([expect.stringMatching(/"mailId":"msg_eight".*SMTP_URL/)]);
  });
});
