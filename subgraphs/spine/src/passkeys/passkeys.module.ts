import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { PersonalDataErasers } from "../users/personal-data.js";
import { Passkey } from "./passkey.entity.js";
import { erasePasskeys } from "./passkey-store.js";

/** Passkeys. They are not offered where browsers refuse them, for example on an IP address. */
export const passkeys: SliceModule = {
  slice: "passkeys",
  entities: [Passkey],
  foreignKeys: {
    "passkeys.user_id": {
      to: null,
      why: "A deleted user keeps its row, and its passkeys are deleted with its personal data.",
    },
  },
  start(_, services) {
    // also where no passkey can be used any more, because the address of the platform has changed
    services.get(PersonalDataErasers).add(async (transaction, { userId }) => {
      await erasePasskeys(transaction, userId);
    });
  },
};
