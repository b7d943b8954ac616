import { DomainError } from "@factory/runtime/errors/domain-error";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import { member } from "../../../connections/vendor-calls/authentication/material.js";
import { credentialUnusable } from "../../../connections/vendor-calls/exchange/call-failure.js";
import type { VendorTarget } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { CredentialService } from "../../../credentials/credentials/credential.service.js";
import { askedRequest, readAnswer } from "../server-calls/answer-reader.js";
import type { Channel, OpenChannel } from "../server-calls/channel.js";
import { answerTooLong, maxSessionBytes } from "../server-calls/session-facts.js";
import { type LocalServers, localServerOf, offeredServer } from "./local-server-settings.js";
import { type ProcessLimits, ServerProcess } from "./server-process.js";
import { StdioTransport } from "./stdio-transport.js";

const limits = { maxPerTenant: 4, maxTotal: 8 };

/**
 * Channels to the operator's tool servers. Each session has its own program, so that one tenant finds nothing there
 * from another one.
 */
export class StdioChannels {
  readonly #servers: LocalServers;
  readonly #credentials: CredentialService;
  readonly #limits: ProcessLimits;
  readonly #seats = new ConcurrencyLimiter(limits, "programs of tool servers");
  readonly #running = new Set<ServerProcess>();

  constructor(servers: LocalServers, credentials: CredentialService, processLimits: ProcessLimits) {
    this.#servers = servers;
    this.#credentials = credentials;
    this.#limits = processLimits;
  }

  /** Throws VALIDATION_FAILED for a name that the operator does not offer, what `programCredential` throws, RATE_LIMITED, and UNAVAILABLE. */
  readonly open: OpenChannel = async (protocol, { target, facts }) => {
    const { tenant, connection } = target;
    const { tenantId } = tenant;
    const name = localServerOf(connection.configuration);
    const { program, credentialVariable } = offeredServer(this.#servers, name, tenantId);
    const environment = credentialVariable && (await programCredential(this.#credentials, target, credentialVariable));
    const leave = this.#seats.acquire(tenantId);
    if (!leave)
      throw new DomainError("RATE_LIMITED", {
        detail: "Too many programs of tool servers run already. Try again in a moment.",
        retryAfterSeconds: 1,
      });
    const process = this.#start(program, environment || {}, leave);
    this.#running.add(process);
    void process.ended.then(() => {
      this.#running.delete(process);
      leave();
    });
    const transport = new StdioTransport({
      process,
      parse: protocol.parseJSONRPCMessage,
      asked: (message) => askedRequest(message, facts),
      read: (answer, request) => readAnswer(answer, request, facts),
      count(bytes) {
        facts.receivedBytes += bytes;
        if (facts.receivedBytes <= maxSessionBytes) return;
        facts.refusal ??= answerTooLong(facts);
        throw facts.refusal;
      },
      onEnded({ tooMuchMemory }) {
        facts.programEnded = facts.refusal === undefined && !tooMuchMemory;
        facts.refusal ??= tooMuchMemory ? usedTooMuch() : hasEnded(facts.called);
        facts.broken(facts.refusal);
      },
    });
    return { transport, ended: process.ended, end: () => process.stop() } satisfies Channel;
  };

  #start(program: readonly string[], environment: Record<string, string>, leave: () => void): ServerProcess {
    try {
      return new ServerProcess(program, this.#limits, environment);
    } catch {
      // The system's error may tell the environment, which has the token.
      leave();
      throw notStarted();
    }
  }

  /** Kills the programs that still run, when the platform stops. */
  async close(): Promise<void> {
    const running = [...this.#running];
    for (const process of running) process.kill();
    await Promise.all(running.map(({ ended }) => ended));
  }
}

const usedTooMuch = () =>
  new DomainError("UPSTREAM_FAILED", { detail: "The tool server has used more memory than it may, so it was ended." });

const notStarted = () =>
  new DomainError("UNAVAILABLE", { detail: "The program of the tool server could not be started. Try again later." });

const hasEnded = (wasCalled: boolean) =>
  new DomainError("UPSTREAM_FAILED", {
    detail: wasCalled
      ? "The program of the tool server has ended before the result. The tool may have run."
      : "The program of the tool server has ended before the call.",
  });

const modes: readonly string[] = ["ApiKey", "BearerToken"];

/**
 * The environment that shows a program a connection's credential: none for the mode None. Throws CREDENTIAL_UNUSABLE,
 * and what `CredentialService.openVersion` throws.
 */
async function programCredential(
  credentials: CredentialService,
  { tenant, cause, connection, credentialVersion }: VendorTarget,
  variable: string,
): Promise<Record<string, string>> {
  const { authMode, credentialId } = connection;
  if (authMode === "None") return {};
  if (!modes.includes(authMode) || credentialId === null)
    throw credentialUnusable(
      `A program of the operator gets a token. The connection needs a credential and one of the modes ${modes.join(", ")}, or the mode None.`,
    );
  const { material } = await credentials.openVersion(tenant, cause, credentialId, credentialVersion ?? "current");
  if (material["hosts"] !== undefined)
    throw credentialUnusable("The credential is for the hosts that it names, and a program is none of them.");
  const token = member(material, "token", "apiKey", "key", "accessToken");
  if (!/^[\x20-\x7e]+$/.test(token))
    throw credentialUnusable("The credential has a character that an environment variable cannot have.");
  return { [variable]: token };
}
