import type { Socket } from "node:net";
import { makeAuthority, makeServiceCertificate } from "@factory/runtime/grpc/certificate-authority";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  /** Whether the session was encrypted, and its login. */
  readonly secure: boolean;
  readonly user: unknown;
}

export interface MailServerFixture {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Ends all clients' connections. */
  leave(): void;
  close(): Promise<void>;
}

/** A mail server on a loopback port. Without `cert` it has no TLS. */
export async function aMailServer(options: SMTPServerOptions = {}): Promise<MailServerFixture> {
  const receivedMails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    ...(options.cert ? {} : { disabledCommands: ["STARTTLS"] }),
    onData(stream, session, finish) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        receivedMails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
          secure: session.secure,
          user: session.user,
        });
        finish();
      });
    },
    ...options,
  });
  // a client that leaves in the middle is an error to it
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const leave = () => {
    for (const socket of sockets) socket.destroy();
  };
  const address = server.server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    received: receivedMails,
    leave,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A certificate for `localhost`, and the authority that has signed it. */
export async function aMailCertificate() {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authority = await makeAuthority(validity);
  const { certificate, key } = await makeServiceCertificate([{ type: "dns", value: "localhost" }], authority, validity);
  return { ca: authority.certificate.toString(), cert: certificate, key };
}
