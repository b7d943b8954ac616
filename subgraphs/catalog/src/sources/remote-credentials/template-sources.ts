import { DomainError } from "@factory/runtime/errors/domain-error";
import { asciiUrl } from "@factory/runtime/internet-names/ascii-url";
import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { RemoteCredential } from "../../git/git/remote-credential.js";
import type { PackageListing, PinnedSource, ReadSource, SourceReader } from "../sources/source-reader.js";
import { credentialHosts } from "./credential-host.js";
import type { RemoteCredentials } from "./remote-credentials.js";

interface ReadOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** A credential's subject in the audit log, for example `executions/exe_…`. */
  readonly subject: string;
  readonly trace: Trace;
}

/** Reads template sources for a tenant, with the tenant's credential that the operator has configured for the host. */
export class TemplateSources {
  readonly #reader: SourceReader;
  readonly #credentials: RemoteCredentials;
  readonly #refByHost: ReadonlyMap<string, string>;

  /**
   * `refByHost`: the name of a credential by host, such as `github.com` or `git.example:8443`. Plain http needs its
   * port.
   */
  constructor(reader: SourceReader, credentials: RemoteCredentials, refByHost: ReadonlyMap<string, string>) {
    this.#reader = reader;
    this.#credentials = credentials;
    this.#refByHost = new Map([...refByHost].map(([host, ref]) => [asciiAuthority(host), ref]));
  }

  /**
   * Pins a reference. Throws SOURCE_REF_INVALID for a dangerous one; undefined for one that cannot be resolved in time.
   */
  async tryResolve(
    tenant: Tenant,
    sourceRef: string,
    options: ReadOptions,
  ): Promise<{ resolvedRef: string } | undefined> {
    const credential = await this.#credential(tenant, sourceRef, options);
    return this.#reader.tryResolve(sourceRef, options.timeoutMs, credential);
  }

  /**
   * Pins a reference and reads its files within the time. Throws SOURCE_REF_INVALID for a dangerous one; undefined for
   * one that cannot be resolved in time.
   */
  async tryRead(tenant: Tenant, sourceRef: string, options: ReadOptions): Promise<PinnedSource | undefined> {
    const credential = await this.#credential(tenant, sourceRef, options);
    const { timeoutMs } = options;
    const { tenantId } = tenant;
    return this.#reader.tryRead(sourceRef, { timeoutMs, tenantId, ...(credential && { credential }) });
  }

  /** Reads a source's files. Throws errors with codes SOURCE_…. */
  async read(tenant: Tenant, reference: string, options: ReadOptions): Promise<ReadSource> {
    const credential = await this.#credential(tenant, reference, options);
    const { timeoutMs, signal } = options;
    return this.#reader.read(reference, {
      timeoutMs,
      tenantId: tenant.tenantId,
      ...(signal && { signal }),
      ...(credential && { credential }),
    });
  }

  /** Lists a package, and reads only the wanted files. Throws errors with codes SOURCE_…. */
  async listPackage(
    tenant: Tenant,
    reference: string,
    fileChoice: { isWanted(path: string): boolean; maxBytes: number },
    options: ReadOptions,
  ): Promise<PackageListing> {
    const credential = await this.#credential(tenant, reference, options);
    const { timeoutMs, signal } = options;
    return this.#reader.listPackage(reference, fileChoice, {
      timeoutMs,
      ...(signal && { signal }),
      ...(credential && { credential }),
    });
  }

  async #credential(
    { tenantId }: Tenant,
    reference: string,
    options: ReadOptions,
  ): Promise<RemoteCredential | undefined> {
    const url = urlOf(reference);
    const credentialRef = url && credentialHosts(url).flatMap((host) => this.#refByHost.get(host) ?? [])[0];
    if (url === undefined || credentialRef === undefined) return undefined;
    const { subject, trace, signal } = options;
    try {
      const use = { url: url.href, purpose: "template-source", subject, trace, signal } as const;
      return await this.#credentials.resolve({ tenantId, credentialRef, ...use });
    } catch (error) {
      // A tenant without this credential, or with one for other hosts, reads public sources without a credential.
      const unfit = error instanceof DomainError && ["CREDENTIAL_NOT_FOUND", "TARGET_FORBIDDEN"].includes(error.code);
      if (unfit) return undefined;
      throw error;
    }
  }
}

function urlOf(reference: string): URL | undefined {
  const url = asciiUrl(/^(?:git|nupkg)\+([^#]+)/i.exec(reference)?.[1] ?? "") ?? "";
  return URL.canParse(url) ? new URL(url) : undefined;
}
