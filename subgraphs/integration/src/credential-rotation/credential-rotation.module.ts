import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ConnectionService } from "../connections/connections/connection.service.js";
import { Verification } from "../connections/connections/verification.js";
import { TokenStore } from "../connections/vendor-calls/token-store.js";
import { VendorProbe } from "../connections/vendor-calls/vendor-probe.js";
import { CredentialService } from "../credentials/credentials/credential.service.js";
import { CredentialVersions } from "../credentials/credentials/credential-versions.js";
import { SecretDigest } from "../credentials/credentials/secret-digest.js";
import { RunService } from "../runs/run.service.js";
import { RunOperations } from "../runs/run-operations.js";
import { advanceCredentialJob, CredentialAdvance, dueCredentialRows } from "./advance-credential.js";
import { CredentialProbe } from "./credential-probe.js";
import { CredentialRotationResolver } from "./credential-rotation.resolver.js";
import { CredentialRotationService } from "./credential-rotation.service.js";
import { CredentialUpdateService } from "./credential-update.service.js";
import { DueCredentials } from "./due-credentials.js";
import { RetireCredentialVersion } from "./retire-credential-version.js";
import { RotationStart } from "./rotation-start.js";
import { SignedEcho } from "./signed-echo.js";
import { VerifyCredential } from "./verify-credential.js";

export interface CredentialRotationSettings {
  /** The time by which grace periods and expiries end. Default: the system clock. */
  readonly clock?: () => Date;
}

/** Rotates credentials: a new version is verified and promoted, and the old one retired after its grace period. */
export const credentialRotation: SliceModule<CredentialRotationSettings> = {
  slice: "credential-rotation",
  events: [
    "CredentialRotationStarted",
    "CredentialMaterialAwaited",
    "CredentialVersionPromoted",
    "CredentialRotated",
    "CredentialRotationFailed",
    "CredentialRolledBack",
    "CredentialExpiryApproaching",
    "CredentialRotationDue",
    "CredentialExpired",
  ],
  jobs: [advanceCredentialJob],
  waitingRows: [dueCredentialRows],
  start({ database, settings, jobs, workers, logger, work, onStarted, onStop }, services) {
    const clock = settings.clock ?? (() => new Date());
    const [versions, runs, operations] = [
      services.get(CredentialVersions),
      services.get(RunService),
      services.get(RunOperations),
    ];
    const echo = services.add(new SignedEcho());
    const start = new RotationStart(versions, runs, clock);
    const digest = services.get(SecretDigest);
    services.add(
      new CredentialRotationService({ database, versions, digest, runs, start, tokens: services.get(TokenStore) }),
    );
    services.add(new CredentialUpdateService(database, versions, clock));
    const credentials = services.get(CredentialService);
    const [connections, vendor] = [services.get(ConnectionService), services.get(VendorProbe)];
    const verification = services.get(Verification);
    const probe = new CredentialProbe({ database, connections, probe: vendor, verification });
    operations.add("VerifyCredential", new VerifyCredential({ database, credentials, versions, runs, echo, probe }));
    operations.add("RetireCredentialVersion", new RetireCredentialVersion(versions, runs, clock));
    const advance = new CredentialAdvance({ database, versions, start, runs, clock });
    work(advanceCredentialJob, (payload) => advance.advance(payload), maintenance);
    const due = new DueCredentials({ database, workers, jobs, logger, clock });
    onStarted(() => due.start());
    onStop(() => due.stop());
  },
  resolvers: (get) => [new CredentialRotationResolver(get(CredentialRotationService), get(CredentialUpdateService))],
  links: {
    "CredentialRotation.credentialId": { to: "Credential" },
    "CredentialRotation.verificationRunId": { to: "Run" },
  },
};
