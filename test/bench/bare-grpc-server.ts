import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";

/** The message that the bench sends to this child process. */
export interface BareGrpcOrder {
  /** The folder with the platform's certificates. */
  readonly tls: string;
  readonly path: string;
  /** The answer to every call, base64. */
  readonly answer: string;
}

/** Serves one method over the platform's mutual TLS. It answers every message with the same bytes. */
async function serve({ tls, path, answer }: BareGrpcOrder): Promise<number> {
  const [authority, certificate, key] = ["ca.crt", "gateway.crt", "gateway.key"].map((name) =>
    readFileSync(join(tls, name)),
  ) as [Buffer, Buffer, Buffer];
  const bytes = Buffer.from(answer, "base64");
  const server = new Server();
  const identity = (buffer: Buffer) => buffer;
  const method = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
  server.addService(
    { check: method },
    { check: (_: unknown, respond: (error: null, value: Buffer) => void) => respond(null, bytes) },
  );
  const pair = [{ cert_chain: certificate, private_key: key }];
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createSsl(authority, pair, true), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

const [order] = (await once(process, "message")) as [BareGrpcOrder];
process.send?.(await serve(order));
process.once("disconnect", () => process.exit());
