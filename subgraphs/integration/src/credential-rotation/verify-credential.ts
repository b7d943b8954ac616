import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialService } from "../credentials/credentials/credential.service.js";
import type { CredentialVersions } from "../credentials/credentials/credential-versions.js";
import { checkMaterial } from "../credentials/credentials/secret-material.js";
import { verifyWebhook } from "../ground/standard-webhooks/webhook-signature.js";
import type { RunService } from "../runs/run.service.js";
import type { RunAttempt, RunEnd, RunHandler } from "../runs/run-operations.js";
import type { RunRecord } from "../runs/run-record.js";
import { requireMaterial } from "./awaited-material.js";
import type { CredentialProbe } from "./credential-probe.js";
import { endRetirements, retirement } from "./retire-credential-version.js";
import { namedVersion, subjectOf } from "./run-subject.js";
import type { SignedEcho } from "./signed-echo.js";

interface VerificationServices {
  readonly database: Database;
  readonly credentials: CredentialService;
  readonly versions: CredentialVersions;
  readonly runs: RunService;
  readonly echo: SignedEcho;
  readonly probe: CredentialProbe;
}

/** Verifies a rotation's Pending version, and promotes it. A run whose version waits for its secret waits too. */
export class VerifyCredential implements RunHandler {
  readonly delaysSeconds = [5, 30, 120, 600];
  readonly timeLimitSeconds = 60;
  readonly #services: VerificationServices;

  constructor(services: VerificationServices) {
    this.#services = services;
  }

  async work(run: RunRecord, attempt: RunAttempt): Promise<Record<string, unknown>> {
    const { database, credentials, probe } = this.#services;
    const { credentialId, version } = subjectOf(run);
    const tenant = tenantWithId(run.tenantId);
    await requireMaterial(database.reader, tenant, { credentialId, version });
    const { kind, material } = await credentials.openVersion(tenant, attempt.cause, credentialId, version);
    checkMaterial(kind, material);
    let verification: Record<string, unknown> = { check: "Local" };
    if (kind === "WebhookSigning") {
      const others = await credentials.signingSecrets(tenant, credentialId);
      this.#echo(run.tenantId, [String(material["signingSecret"]), ...others]);
      verification = { check: "SignedEcho" };
    } else {
      const connectionIds = await probe.check(run, attempt);
      if (connectionIds.length > 0) verification = { check: "Probe", connectionIds };
    }
    failpoint("credentialRotation.verified");
    return { version, ...verification };
  }

  async ended(transaction: Transaction, run: RunRecord, end: RunEnd): Promise<void> {
    const { versions, runs, probe } = this.#services;
    const subject = namedVersion(run);
    if (!subject) return;
    const { credentialId, version } = subject;
    const credential = await versions.lock(transaction, credentialId);
    const pending = await versions.find(transaction, credential, version);
    const isOpen = credential.status === "Rotating" || credential.materialDueAt !== null;
    if (!isOpen || credential.rotationRunId !== run.runId || !pending) return;
    const { name } = credential;
    const facts = { credentialId, name, version };
    const { reason } = pending;
    const rotation = { ...facts, reason, verificationRunId: run.runId };
    const path = `credentials/${credentialId}`;
    if (end.status !== "Completed") {
      await versions.fail(transaction, credential, pending);
      const { code, detail } = end;
      const data = { ...rotation, status: credential.status, error: { code, detail } };
      transaction.record({ type: "CredentialRotationFailed", subject: path, data });
      return;
    }
    const former = await versions.promote(transaction, credential, pending);
    if (!former) return;
    const { graceEndsAt } = former;
    const promotion = { ...facts, previousVersion: former.version, graceEndsAt };
    transaction.record({ type: "CredentialVersionPromoted", subject: path, data: promotion });
    transaction.record({ type: "CredentialRotated", subject: path, data: { ...rotation, status: "Active" } });
    if (graceEndsAt) await runs.startIn(transaction, retirement(credentialId, former.version, graceEndsAt));
    await probe.recover(transaction, credentialId);
    // Its flush lets the failpoint stand between the statements and the commit.
    await endRetirements(transaction, runs, credentialId);
    failpoint("credentialRotation.promoting");
  }

  /** Signs a delivery as it is sent in the grace period, and verifies it as a receiver with either secret does. */
  #echo(tenantId: string, secrets: readonly string[]): void {
    const now = new Date();
    const { headers, body } = this.#services.echo.sign(tenantId, secrets, now);
    const isAccepted = secrets.every((secret) => verifyWebhook(headers, body, [secret], { now }).verified);
    const isTamperedAccepted = secrets.some((secret) => verifyWebhook(headers, `${body} `, [secret], { now }).verified);
    if (!isAccepted || isTamperedAccepted)
      throw new DomainError("SIGNATURE_INVALID", {
        detail: "A delivery that was signed with the new secret could not be verified with it.",
      });
  }
}
