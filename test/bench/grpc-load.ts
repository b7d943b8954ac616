import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { join } from "node:path";

export interface GrpcTarget {
  /** `host:port` */
  readonly address: string;
  /** The folder with the platform's certificates. */
  readonly tls: string;
  readonly path: string;
  readonly authorization: string;
  readonly message: Uint8Array;
}

interface GrpcLoad {
  readonly calls: number;
  readonly seconds: number;
  readonly takenMs: readonly number[];
}

const sessions = 4;
const callsPerSession = 8;
const statusHeader = "grpc-status";

function begin(session: ClientHttp2Session, { path, authorization, message }: GrpcTarget) {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  const headers = { ":method": "POST", ":path": path, te: "trailers", "content-type": "application/grpc" };
  return { stream: session.request({ ...headers, authorization }), frame };
}

/** The milliseconds from a call to its streamed answer's first message. Resolves when the stream ends. */
export function firstMessageMs(session: ClientHttp2Session, target: GrpcTarget): Promise<number> {
  const calledAt = performance.now();
  return new Promise((resolve, reject) => {
    const { stream, frame } = begin(session, target);
    let takenMs: number | undefined;
    stream.on("data", () => {
      takenMs ??= performance.now() - calledAt;
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (takenMs === undefined) reject(new Error(`The stream of ${target.path} had no message`));
      else resolve(takenMs);
    });
    stream.end(frame);
  });
}

/** One call without a client library, so that the load costs little beside the server. Returns the answered message. */
export function grpcCall(session: ClientHttp2Session, target: GrpcTarget): Promise<Buffer> {
  const { path } = target;
  return new Promise((resolve, reject) => {
    const { stream, frame } = begin(session, target);
    const chunks: Buffer[] = [];
    let status: unknown;
    stream.on("response", (answer) => {
      status = answer[statusHeader];
    });
    stream.on("trailers", (trailers) => {
      status = trailers[statusHeader];
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("close", () => {
      if (Number(status) === 0) resolve(Buffer.concat(chunks).subarray(5));
      else reject(new Error(`The call of ${path} ended with the status ${String(status)}`));
    });
    stream.end(frame);
  });
}

/** A session with a product's certificate. */
export function grpcSession({ address, tls }: GrpcTarget): ClientHttp2Session {
  const [ca, cert, key] = ["ca.crt", "product.crt", "product.key"].map((name) => readFileSync(join(tls, name)));
  return connect(`https://${address}`, { ca, cert, key, servername: "gateway.factory.internal" } as object);
}

/** Calls the method from several sessions at once for some seconds. */
export async function grpcLoad(target: GrpcTarget, seconds: number): Promise<GrpcLoad> {
  const open = Array.from({ length: sessions }, () => grpcSession(target));
  const takenMs: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  const caller = async (session: ClientHttp2Session) => {
    while (performance.now() < end) {
      const calledAt = performance.now();
      await grpcCall(session, target);
      takenMs.push(performance.now() - calledAt);
    }
  };
  try {
    await Promise.all(open.flatMap((session) => Array.from({ length: callsPerSession }, () => caller(session))));
  } finally {
    for (const session of open) session.close();
  }
  return { calls: takenMs.length, seconds: (performance.now() - startedAt) / 1000, takenMs };
}
