import { connect } from "node:http2";
import { join } from "node:path";
import { readJson } from "@factory/platform/client/platform-api";
import { serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { serverName } from "@factory/runtime/grpc/service-identity";
import { platform } from "./platform.js";

export interface GrpcCaller {
  /** The `grpc-status` that answers an empty request with this `authorization`, or the HTTP status if there is none. */
  status(method: string, authorization: string): Promise<number>;
  close(): void;
}

/** Calls the gRPC port as a platform service, without a client library, so that it can send invalid metadata. */
export async function aGrpcCaller(): Promise<GrpcCaller> {
  const { dataDir } = platform();
  const { grpcAddress } = await readJson<{ grpcAddress: string }>(dataDir, "runtime.json");
  const { authority: ca, key, certificate: cert } = (await serviceCertificates(join(dataDir, "tls"))).integration;
  const session = connect(`https://${grpcAddress}`, { ca, key, cert, servername: serverName("gateway") });
  await new Promise<void>((resolve, reject) => session.once("connect", () => resolve()).once("error", reject));
  return {
    status: (method, authorization) =>
      new Promise((resolve, reject) => {
        const headers = { ":method": "POST", ":path": method, te: "trailers", "content-type": "application/grpc" };
        const stream = session.request({ ...headers, authorization });
        let status: unknown;
        stream.on("response", (answer) => {
          status = answer["grpc-status"] ?? answer[":status"];
        });
        stream.on("trailers", (trailers) => {
          status = trailers["grpc-status"] ?? status;
        });
        stream.on("error", reject).on("close", () => resolve(Number(status)));
        stream.resume().end(Buffer.alloc(5));
      }),
    close: () => session.close(),
  };
}
