import { ChannelCredentials, type ChannelOptions } from "@grpc/grpc-js";
import {
  type CallOptions,
  type Client,
  ClientError,
  type ClientMiddleware,
  type CompatServiceDefinition,
  createChannel,
  createClientFactory,
  Metadata,
} from "nice-grpc";
import { DomainError } from "../errors/domain-error.js";
import { type Trace, traceparent } from "../telemetry/trace.js";
import { detailsKey, fromWireStatus } from "./error-status.js";
import { maxMessageBytes } from "./message-limits.js";
import type { ServiceCertificate } from "./service-certificates.js";
import { type ServiceIdentity, serverName } from "./service-identity.js";

export interface CallSettings {
  readonly trace?: Trace | undefined;
  /** The call's metadata, for example the original caller's `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The call's time limit in milliseconds, including the connection. */
  readonly timeoutMs?: number;
}

export type GrpcClient<Definition extends CompatServiceDefinition> = Client<Definition, CallSettings>;

interface GrpcChannelSettings {
  /** `host:port` */
  readonly address: string;
  /** The service that must present its certificate. */
  readonly server: ServiceIdentity;
  /** This service's certificate. */
  readonly certificate: ServiceCertificate;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5000;

/** A process's connection to one server. It connects at the first call and again after a loss. */
export class GrpcChannel {
  readonly #channel: ReturnType<typeof createChannel>;
  readonly #timeoutMs: number;

  constructor({ address, server, certificate, timeoutMs = defaultTimeoutMs }: GrpcChannelSettings) {
    const { authority, key, certificate: chain } = certificate;
    const name = serverName(server);
    const options: ChannelOptions = {
      "grpc.ssl_target_name_override": name,
      "grpc.default_authority": name,
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": maxMessageBytes,
      // Calls inside the platform must not use a proxy from the environment.
      "grpc.enable_http_proxy": 0,
      "grpc.max_reconnect_backoff_ms": 5000,
    };
    this.#channel = createChannel(address, ChannelCredentials.createSsl(authority, key, chain), options);
    this.#timeoutMs = timeoutMs;
  }

  client<Definition extends CompatServiceDefinition>(definition: Definition): GrpcClient<Definition> {
    return createClientFactory().use(callerBoundary(this.#timeoutMs)).create(definition, this.#channel);
  }

  close(): void {
    this.#channel.close();
  }
}

/** Gives every call a deadline, and turns the server's status back into the refusal that was thrown there. */
function callerBoundary(defaultMs: number): ClientMiddleware<CallSettings> {
  return async function* (call, options) {
    const { trace, headers = {}, timeoutMs = defaultMs, signal: callerSignal, ...rest } = options;
    const late = AbortSignal.timeout(timeoutMs);
    const metadata = Metadata(options.metadata).set("grpc-timeout", `${Math.ceil(timeoutMs)}m`);
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    if (trace) metadata.set("traceparent", traceparent(trace));
    let details: Uint8Array | undefined;
    const callOptions: CallOptions = {
      ...rest,
      metadata,
      signal: callerSignal ? AbortSignal.any([late, callerSignal]) : late,
      onTrailer(trailer) {
        details = trailer.get(detailsKey);
        options.onTrailer?.(trailer);
      },
    };
    try {
      return yield* call.next(call.request, callOptions);
    } catch (error) {
      if (error instanceof ClientError) throw fromWireStatus(error.code, error.details, details);
      if (late.aborted && !callerSignal?.aborted)
        throw new DomainError("UPSTREAM_TIMEOUT", {
          detail: `The service did not answer within ${timeoutMs} ms. Try again later.`,
        });
      throw error;
    }
  };
}
