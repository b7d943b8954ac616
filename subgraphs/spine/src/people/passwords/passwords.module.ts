import type { PlatformLimits } from "@factory/runtime/platform-limits/platform-limits";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "../../ground/http-endpoints/http-routes.js";
import { Mailer } from "../../ground/mail/mailer.js";
import { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { changedMail, changedMailKind } from "./changes/changed-mail.js";
import { resetPath } from "./changes/reset-path.js";
import { OwnPassword } from "./own-password.js";
import { OwnPasswordResolver } from "./own-password.resolver.js";
import { PasswordReset } from "./resets/password-reset.entity.js";
import { PasswordResets, passwordResetRetention } from "./resets/password-resets.js";
import { resetEndpoint } from "./resets/reset-endpoint.js";
import { resetMail, resetMailKind } from "./resets/reset-mail.js";
import { PasswordResetNotices } from "./resets/reset-notices.js";

export interface PasswordSettings {
  /** The platform's absolute URL, without a trailing slash. Links in mails begin with it. */
  readonly issuer: string;
  readonly masterKeys: MasterKeys;
  /** Multiplies the limits on requests for a link and on wrong passwords. */
  readonly rateLimitFactor?: number;
  /** The limits that all processes use. Absent: this is the only one. */
  readonly limits?: Pick<PlatformLimits, "failures">;
}

/** People change their own password, or reset it by a link in a mail. */
export const passwords: SliceModule<PasswordSettings> = {
  slice: "passwords",
  entities: [PasswordReset],
  foreignKeys: {
    "password_resets.user_id": { to: null, why: "A deleted user keeps its row, and a reset is of no use then." },
  },
  events: ["PasswordResetRequested"],
  start({ settings, database, workers: pool, logger, onStop }, services) {
    const { issuer, masterKeys, rateLimitFactor, limits } = settings;
    const tokens = new DerivedSecrets(masterKeys.keyring("factory spine password resets"));
    const mailer = services.get(Mailer);
    const parts = { database, mailer, settings: services.get(TenantSettings) };
    mailer.register(changedMailKind, changedMail(database, issuer));
    mailer.register(resetMailKind, resetMail(database, tokens, issuer));
    services.add(new OwnPassword({ ...parts, rateLimitFactor, failures: limits?.failures }));
    const notices = services.add(new PasswordResetNotices());
    const resets = services.add(new PasswordResets({ ...parts, pool, tokens, notices, logger }));
    onStop(() => resets.settled());
    services.get(HttpRoutes).add(resetPath, resetEndpoint({ issuer, resets, logger, rateLimitFactor }));
  },
  retention: () => [passwordResetRetention],
  resolvers: (get) => [new OwnPasswordResolver(get(OwnPassword), get(PasswordResets))],
};
