import { join } from "node:path";
import { readJson } from "@factory/platform/client/platform-api";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type ServiceCertificate, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import type { ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import { platform } from "./platform.js";

/** Channels to the platform's gRPC port, which `close` closes together. */
export class GrpcChannels {
  readonly #channels: GrpcChannel[] = [];

  /** A channel with a service's certificate, or with another one. */
  async as(caller: ServiceIdentity | ServiceCertificate): Promise<GrpcChannel> {
    const { dataDir } = platform();
    const { grpcAddress: address } = await readJson<{ grpcAddress: string }>(dataDir, "runtime.json");
    const certificate = typeof caller === "string" ? (await serviceCertificates(join(dataDir, "tls")))[caller] : caller;
    const channel = new GrpcChannel({ address, server: "gateway", certificate, timeoutMs: 60_000 });
    this.#channels.push(channel);
    return channel;
  }

  close(): void {
    for (const channel of this.#channels) channel.close();
  }
}
