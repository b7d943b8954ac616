import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ConnectionService } from "../connections/connections/connection.service.js";
import type { ConnectionRow } from "../connections/connections/connection.view.js";
import type { Verification } from "../connections/connections/verification.js";
import type { VendorProbe } from "../connections/vendor-calls/vendor-probe.js";
import type { RunAttempt } from "../runs/run-operations.js";
import type { RunRecord } from "../runs/run-record.js";
import { connectionsOfCredential, lostConnections } from "./credential-connections-statement.js";
import { subjectOf } from "./run-subject.js";

interface ProbeServices {
  readonly database: Database;
  readonly connections: ConnectionService;
  readonly probe: VendorProbe;
  readonly verification: Verification;
}

/** Verifies a credential's version at the vendors whose connections use it. */
export class CredentialProbe {
  readonly #services: ProbeServices;

  constructor(services: ProbeServices) {
    this.#services = services;
  }

  /**
   * Probes with the run's version. Returns by id the connections that the vendor has answered; none when no connection
   * uses the credential, or their providers have nothing to probe. Throws CREDENTIAL_REJECTED, which is final, and what
   * `VendorProbe.probe` throws.
   */
  async check(run: RunRecord, { cause, signal }: RunAttempt): Promise<string[]> {
    const { database, connections, probe } = this.#services;
    const { credentialId, version } = subjectOf(run);
    const tenant = tenantWithId(run.tenantId);
    const uuid = decodeId("crd", credentialId);
    const rows = await database.reader.rows<Pick<ConnectionRow, "connection_id">>(
      connectionsOfCredential,
      tenant,
      uuid,
    );
    const answeredIds: string[] = [];
    for (const { connection_id } of rows) {
      const connectionId = encodeId("con", connection_id);
      const connection = await connections.record(tenant, connectionId);
      if (!connection) continue;
      const target = { tenant, cause, connection, credentialVersion: version, runId: run.runId, signal };
      const { outcome, detail } = await probe.probe(target).catch(notCallable);
      if (outcome === "rejected")
        throw new DomainError("CREDENTIAL_REJECTED", { detail: `${connectionId}: ${detail}` });
      if (outcome === "failed") throw new DomainError("UPSTREAM_FAILED", { detail: `${connectionId}: ${detail}` });
      if (outcome === "ok") answeredIds.push(connectionId);
    }
    return answeredIds;
  }

  /** Has the connections verified again that the vendor had refused with the former version. */
  async recover(transaction: Transaction, credentialId: string): Promise<void> {
    const { execute, tenant } = transaction;
    type Row = Pick<ConnectionRow, "connection_id" | "project_id" | "version">;
    const rows = await execute<Row>(lostConnections, [tenant.uuid, decodeId("crd", credentialId)]);
    for (const { connection_id, project_id: projectId, version } of rows) {
      const connectionId = encodeId("con", connection_id);
      // Also where a check is open, since that one may have begun with the former version.
      await this.#services.verification.start(transaction, { connectionId, projectId, version });
    }
  }
}

/** A connection that cannot be called, for a reason that lies not in the credential, verifies nothing. */
function notCallable(error: unknown): { outcome: "unchecked"; detail: string } {
  const reasons = new Set([
    "AUTHORIZATION_REQUIRED",
    "AUTH_MODE_NOT_SUPPORTED",
    "INVALID_STATE",
    "PROVIDER_NOT_FOUND",
    "TARGET_BLOCKED",
  ]);
  if (!(error instanceof DomainError) || !reasons.has(error.code)) throw error;
  return { outcome: "unchecked", detail: error.message };
}
