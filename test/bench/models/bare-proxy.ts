// A proxy from gRPC to a model vendor, with nothing but the two protocols, as a separate process.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import {
  CompleteRequest,
  CompleteResponse,
  StreamChunk,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { Server, ServerCredentials, type ServerUnaryCall, type ServerWritableStream } from "@grpc/grpc-js";

/** The message that the bench sends to this child process. */
export interface BareProxyOrder {
  /** The folder with the platform's certificates. */
  readonly tls: string;
  /** The vendor's base URL. */
  readonly vendor: string;
}

interface Choice {
  readonly message?: { readonly content: string };
  readonly delta?: { readonly content?: string };
  readonly finish_reason: string | null;
}

interface Answer {
  readonly model: string;
  readonly choices: readonly Choice[];
}

const agent = new Agent({ keepAlive: true });

function ask(vendor: string, { model, messages }: CompleteRequest, stream: boolean): Promise<IncomingMessage> {
  const body = JSON.stringify({ model, messages: messages.map(({ role, content }) => ({ role, content })), stream });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    authorization: "Bearer good",
  };
  return new Promise((resolve, reject) => {
    request(`${vendor}/chat/completions`, { method: "POST", agent, headers }, resolve).on("error", reject).end(body);
  });
}

async function complete(vendor: string, completeRequest: CompleteRequest): Promise<CompleteResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of await ask(vendor, completeRequest, false)) chunks.push(chunk as Buffer);
  const { choices, model } = JSON.parse(Buffer.concat(chunks).toString()) as Answer;
  const [choice] = choices;
  return CompleteResponse.fromPartial({
    content: choice?.message?.content ?? "",
    finishReason: choice?.finish_reason ?? "",
    model,
  });
}

async function stream(vendor: string, call: ServerWritableStream<CompleteRequest, StreamChunk>): Promise<void> {
  let text = "";
  for await (const chunk of await ask(vendor, call.request, true)) {
    const lines = (text + (chunk as Buffer).toString()).split("\n\n");
    text = lines.pop() ?? "";
    for (const line of lines.map((each) => each.slice("data: ".length)).filter((each) => each !== "[DONE]")) {
      const [choice] = (JSON.parse(line) as Answer).choices;
      if (choice?.delta?.content) call.write(StreamChunk.fromPartial({ delta: choice.delta.content }));
    }
  }
  call.end();
}

type Done = (error: Error | null, value?: CompleteResponse) => void;

async function answered(answer: Promise<CompleteResponse>, respond: Done): Promise<void> {
  try {
    const value = await answer;
    respond(null, value);
  } catch (error) {
    respond(error as Error);
  }
}

const codecOf = <T>(type: { encode(value: T): { finish(): Uint8Array } }) => ({
  responseSerialize: (value: T) => Buffer.from(type.encode(value).finish()),
});
const asks = {
  requestStream: false,
  requestSerialize: (value: CompleteRequest) => Buffer.from(CompleteRequest.encode(value).finish()),
  requestDeserialize: (bytes: Buffer) => CompleteRequest.decode(bytes),
} as const;

async function serve({ tls, vendor }: BareProxyOrder): Promise<number> {
  const [authority, certificate, key] = ["ca.crt", "gateway.crt", "gateway.key"].map((name) =>
    readFileSync(join(tls, name)),
  ) as [Buffer, Buffer, Buffer];
  const server = new Server();
  const path = (method: string) => `/svc.model.v1.ModelInvocation/${method}`;
  server.addService(
    {
      complete: {
        ...{ ...asks, ...codecOf(CompleteResponse), path: path("Complete"), responseStream: false },
        responseDeserialize: (bytes: Buffer) => CompleteResponse.decode(bytes),
      },
      stream: {
        ...{ ...asks, ...codecOf(StreamChunk), path: path("Stream"), responseStream: true },
        responseDeserialize: (bytes: Buffer) => StreamChunk.decode(bytes),
      },
    },
    {
      complete(call: ServerUnaryCall<CompleteRequest, CompleteResponse>, respond: Done) {
        void answered(complete(vendor, call.request), respond);
      },
      stream(call: ServerWritableStream<CompleteRequest, StreamChunk>) {
        stream(vendor, call).catch((error: Error) => call.destroy(error));
      },
    },
  );
  const pair = [{ cert_chain: certificate, private_key: key }];
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createSsl(authority, pair, true), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

const [order] = (await once(process, "message")) as [BareProxyOrder];
process.send?.(await serve(order));
process.once("disconnect", () => process.exit());
