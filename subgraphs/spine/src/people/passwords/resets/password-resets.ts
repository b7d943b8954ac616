import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RetentionRule } from "@factory/runtime/db/retention";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import type { Mailer } from "../../../ground/mail/mailer.js";
import type { TenantSettings } from "../../../settings/configuration/tenant-settings.js";
import { lockUser } from "../../users/find-users.js";
import { newPasswordHash } from "../../users/new-password.js";
import { replacePassword } from "../../users/replace-password.js";
import { changedMailKind } from "../changes/changed-mail.js";
import { type ResetByTokenRow, type ResettableUserRow, resetByToken, resettableUsers } from "./open-reset-statement.js";
import { PasswordReset } from "./password-reset.entity.js";
import { resetMailKind } from "./reset-mail.js";
import type { PasswordResetNotices } from "./reset-notices.js";

const lifetimeMs = 30 * 60_000;
/** One user's links within an hour. Further requests are answered in the same way and send no mail. */
const maxLinks = 3;
const throttleMs = 60 * 60_000;
/** Requests whose links are being stored. */
const maxSending = 200;
const maxEmailLength = 254;

/** Links are forgotten when they no longer count for the throttle. */
export const passwordResetRetention: RetentionRule = {
  table: "password_resets",
  expired: "expires_at < now() - interval '1 hour'",
  order: "expires_at",
};

interface PasswordResetParts {
  readonly database: Database;
  /** Connects as the worker role, which sees users and resets before the tenant is known. */
  readonly pool: Pool;
  readonly tokens: DerivedSecrets;
  readonly mailer: Mailer;
  readonly settings: TenantSettings;
  readonly notices: PasswordResetNotices;
  readonly logger: Logger;
}

type Caller = Pick<Cause, "trace" | "origin">;

/** The account behind a link. */
export interface OpenReset {
  readonly email: string;
  readonly organization: string;
  readonly passwordMinLength: number;
}

/** Resets passwords by a link that is mailed to the user. */
export class PasswordResets {
  readonly #parts: PasswordResetParts;
  readonly #sending = new Set<Promise<void>>();

  constructor(parts: PasswordResetParts) {
    this.#parts = parts;
  }

  /**
   * Mails a link to every active user with this address, in one tenant if its slug is given. Resolves in the same time for
   * unknown addresses: the links are stored after that, so a request is lost if the process ends at this moment.
   */
  async request(
    { trace, origin }: Caller,
    { email, tenant }: { email: string; tenant?: string | undefined },
  ): Promise<void> {
    const { pool, logger } = this.#parts;
    if (this.#sending.size >= maxSending)
      throw new DomainError("UNAVAILABLE", {
        detail: "Too many passwords are being reset. Try again in a moment.",
        retryAfterSeconds: 1,
      });
    // PostgreSQL cannot store NUL in text
    const isUsable = email.length <= maxEmailLength && !`${email}${tenant ?? ""}`.includes("\0");
    const values = isUsable ? [mailAddressKey(email.trim()), tenant ?? null] : ["", null];
    const { rows } = await pool.query<ResettableUserRow>({ ...resettableUsers, values });
    // the answer is sent in this turn of the event loop
    const sending = nextTurn()
      .then(() => this.#issueAll(rows, { trace, origin }))
      .catch((error: unknown) =>
        logger.error({ err: error, traceId: trace.traceId }, "a password reset was not mailed"),
      )
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #issueAll(users: readonly ResettableUserRow[], caller: Caller): Promise<void> {
    await Promise.all(
      users.map(({ tenant_id: id, user_id: userId }) =>
        this.#issue(tenantWithId(encodeId("ten", id)), encodeId("usr", userId), caller),
      ),
    );
  }

  /** Resolves when all links so far are stored. Called at a stop. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** The account for a link. Throws NOT_FOUND for a token that is unknown, used or expired. */
  async look(token: string): Promise<OpenReset> {
    const { email, organization, tenant_id: id } = await this.#open(token);
    return { email, organization, passwordMinLength: await this.#minLength(tenantWithId(encodeId("ten", id))) };
  }

  /** Sets the new password. The link and all the user's other links stop working. Second factors stay as they are. */
  async complete(caller: Caller, { token, password }: { token: string; password: string }): Promise<void> {
    const openReset = await this.#open(token);
    const tenant = tenantWithId(encodeId("ten", openReset.tenant_id));
    const passwordHash = await newPasswordHash({
      password,
      email: openReset.email,
      minLength: await this.#minLength(tenant),
      pointer: "/input/password",
    });
    const userId = encodeId("usr", openReset.user_id);
    const { database, mailer, notices } = this.#parts;
    await database.transaction(tenant, { ...caller, actorId: userId }, async (transaction) => {
      const user = await lockUser(transaction, userId);
      await useReset(transaction, { resetId: encodeId("pwr", openReset.reset_id), userId });
      if (user.status !== "Active") throw unknownToken();
      transaction.audit({ operation: "resetPassword", principal: userId, principaltype: "User" });
      await replacePassword(transaction, user, { passwordHash, proof: "MailLink" });
      user.verifiedEmailKey = user.emailKey;
      await mailer.queue(transaction, changedMailKind, userId);
      await notices.tell(transaction, userId);
    });
  }

  async #open(token: string): Promise<ResetByTokenRow> {
    const statement = { ...resetByToken, values: [tokenDigest(token)] };
    const [openReset] = (await this.#parts.pool.query<ResetByTokenRow>(statement)).rows;
    if (!openReset) throw unknownToken();
    return openReset;
  }

  #minLength(tenant: Tenant): Promise<number> {
    return this.#parts.settings.get(tenant, "signIn.passwordMinLength");
  }

  #issue(tenant: Tenant, userId: string, caller: Caller): Promise<void> {
    const { database, tokens, mailer } = this.#parts;
    return database.transaction(tenant, { ...caller, actorId: "anonymous" }, async (transaction) => {
      const { em, record, audit } = transaction;
      const { tenantId } = tenant;
      // the lock makes requests at the same time count one after the other
      const user = await lockUser(transaction, userId);
      const now = new Date();
      const since = { $gt: new Date(now.getTime() - throttleMs) };
      if (
        user.status !== "Active" ||
        (await em.count(PasswordReset, { tenantId, userId, createdAt: since })) >= maxLinks
      )
        return;
      const [resetId, tokenNonce] = [newId("pwr"), tokens.newNonce()];
      const digest = tokenDigest(tokens.derive(resetId, tokenNonce));
      const expiresAt = new Date(now.getTime() + lifetimeMs);
      const facts = { tenantId, resetId, userId, tokenNonce, tokenDigest: digest, createdAt: now, expiresAt };
      em.persist(em.create(PasswordReset, facts));
      audit({ operation: "requestPasswordReset", subject: `users/${userId}` });
      const data = { tenantId, userId, expiresAt: expiresAt.toISOString() };
      record({ type: "PasswordResetRequested", subject: `users/${userId}`, data });
      await mailer.queue(transaction, resetMailKind, resetId);
    });
  }
}

/** Locks the reset, and ends all the user's open links. Throws NOT_FOUND for a link that was used meanwhile. */
async function useReset({ em, tenant }: Transaction, { resetId, userId }: { resetId: string; userId: string }) {
  const { tenantId } = tenant;
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const now = new Date();
  const open = await em.find(PasswordReset, { tenantId, userId, expiresAt: { $gt: now } }, lock);
  if (!open.some((reset) => reset.resetId === resetId)) throw unknownToken();
  for (const reset of open) reset.expiresAt = now;
}

/** SHA-256 as hex. A hash without salt is enough for a token with 256 random bits. */
const tokenDigest = (token: string): string => hash("sha256", token, "hex");

const unknownToken = () =>
  new DomainError("NOT_FOUND", {
    detail: "The link was used, has expired or is incomplete. Ask for a new one.",
  });
