import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "../../ground/http-endpoints/http-routes.js";
import { PersonalDataErasers } from "../../people/users/personal-data.js";
import { FactorChanges } from "../second-factors/kinds/factor-changes.js";
import { FactorKinds } from "../second-factors/kinds/factor-kinds.js";
import { Passkey } from "./passkey.entity.js";
import { PasskeyCeremonies } from "./passkey-ceremonies.js";
import { PasskeyKind } from "./passkey-kind.js";
import { passkeyScriptPath, passkeyScriptRoute } from "./passkey-script.js";
import { erasePasskeys, PasskeyStore } from "./passkey-store.js";
import { relyingPartyOf } from "./relying-party.js";

export interface PasskeySettings {
  /** The platform's absolute URL, without a trailing slash. Passkeys belong to its host name. */
  readonly issuer: string;
}

/** Passkeys. They are not offered where browsers refuse them, for example on an IP address. */
export const passkeys: SliceModule<PasskeySettings> = {
  slice: "passkeys",
  entities: [Passkey],
  foreignKeys: {
    "passkeys.user_id": {
      to: null,
      why: "A deleted user keeps its row, and its passkeys are deleted with its personal data.",
    },
  },
  start({ settings, database, workers, logger }, services) {
    // also where no passkey can be used any more, because the platform's address has changed
    services.get(PersonalDataErasers).add(async (transaction, { userId }) => {
      await erasePasskeys(transaction, userId);
    });
    const party = relyingPartyOf(settings.issuer);
    if (!party) return;
    const changes = services.get(FactorChanges);
    const store = new PasskeyStore(workers, database.reader);
    const ceremonies = new PasskeyCeremonies(party);
    services.get(FactorKinds).add(new PasskeyKind({ database, changes, store, ceremonies, logger }));
    services.get(HttpRoutes).add(passkeyScriptPath, passkeyScriptRoute);
  },
};
