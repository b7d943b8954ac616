import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import { sealedTextTable } from "@factory/runtime/resealing/sealed-table";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "../../ground/http-endpoints/http-routes.js";
import { Mailer } from "../../ground/mail/mailer.js";
import { PersonalDataErasers } from "../../people/users/personal-data.js";
import { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { registerFactorMails } from "./kinds/change-mail.js";
import { FactorChanges, type TellPerson } from "./kinds/factor-changes.js";
import { FactorKinds } from "./kinds/factor-kinds.js";
import { closeLockJob } from "./locks/close-lock-job.js";
import { FactorLock } from "./locks/factor-lock.entity.js";
import { FactorLocks } from "./locks/factor-locks.js";
import { lockedMail, lockedMailKind, unlockedMail, unlockedMailKind } from "./locks/lock-mail.js";
import { UnlockByLink } from "./locks/unlock-by-link.js";
import { unlockEndpoint } from "./locks/unlock-endpoint.js";
import { UnlockLinks } from "./locks/unlock-links.js";
import { unlockPath } from "./locks/unlock-path.js";
import { LostFactors } from "./lost-factors.js";
import { RecoveryCode } from "./recovery-codes/recovery-code.entity.js";
import { RecoveryCodes } from "./recovery-codes/recovery-codes.js";
import { SecondFactorResolver } from "./second-factor.resolver.js";
import { SecondFactors } from "./second-factors.js";
import { TotpFactor } from "./totp/totp-factor.entity.js";
import { TotpKind } from "./totp/totp-kind.js";

export interface SecondFactorSettings {
  /** The platform's absolute URL, without a trailing slash. Its host is the platform's name in an app. */
  readonly issuer: string;
  readonly masterKeys: MasterKeys;
}

const sealOf = ({ masterKeys }: SecondFactorSettings) =>
  new EnvelopeSeal(masterKeys.keyring("factory spine second factors"));

const why = "A deleted user keeps its row, and its factors are deleted with its personal data.";

/** The proofs that a sign-in asks for beside the password: authenticator apps and recovery codes. */
export const secondFactors: SliceModule<SecondFactorSettings> = {
  slice: "second-factors",
  entities: [TotpFactor, RecoveryCode, FactorLock],
  foreignKeys: {
    "totp_factors.user_id": { to: null, why },
    "recovery_codes.user_id": { to: null, why },
    "factor_locks.user_id": { to: null, why },
  },
  jobs: [closeLockJob],
  events: [
    "SecondFactorAdded",
    "SecondFactorRemoved",
    "RecoveryCodesRenewed",
    "SecondFactorsLocked",
    "SecondFactorsUnlocked",
  ],
  start({ settings, database, jobs, workers: pool, logger, work }, services) {
    const mailer = services.get(Mailer);
    const { issuer } = settings;
    registerFactorMails(mailer, database, issuer);
    const tokens = new DerivedSecrets(settings.masterKeys.keyring("factory spine second factor locks"));
    mailer.register(lockedMailKind, lockedMail(database, tokens, issuer));
    mailer.register(unlockedMailKind, unlockedMail(database, issuer));
    const tell: TellPerson = (...parameters) => mailer.queue(...parameters);
    const links = new UnlockLinks({ database, pool, tokens, tell });
    const locks = new FactorLocks({ database, jobs, links, tell, unlockUrl: `${issuer}${unlockPath}` });
    work(closeLockJob, (payload) => locks.closeLate(payload), maintenance);
    const unlocking = new UnlockByLink(database, locks);
    services.get(HttpRoutes).add(unlockPath, unlockEndpoint({ issuer, unlocking, logger }));
    const changes = services.add(new FactorChanges(tell));
    const kinds = services.add(new FactorKinds());
    const recoveryCodes = new RecoveryCodes(database);
    const issuerName = new URL(issuer).hostname;
    kinds.add(new TotpKind({ database, changes, seal: sealOf(settings), issuerName }));
    kinds.add(recoveryCodes);
    const factors = { database, settings: services.get(TenantSettings), kinds, recoveryCodes, changes, locks };
    const service = services.add(new SecondFactors(factors));
    services.get(PersonalDataErasers).add(service.erase);
    services.add(new LostFactors(database, service));
  },
  resolvers: (get) => [new SecondFactorResolver(get(LostFactors))],
  sealedTables(settings) {
    const seal = sealOf(settings);
    return [
      sealedTextTable({
        label: "factory spine second factors",
        table: "totp_factors",
        key: { tenant_id: "uuid", factor_id: "uuid" },
        column: "sealed_secret",
        newestKeyId: seal.newestKeyId,
        resealed: (secret, { factor_id: id = "" }) => seal.rewrappedText(secret, encodeId("fac", id)),
      }),
    ];
  },
  links: {
    "RemovedSecondFactors.userId": { to: "User" },
    "UnlockedSecondFactors.userId": { to: "User" },
  },
};
