import { heldObjectResolver } from "@factory/runtime/graphql/object-fields";
import { eraseAddressFromResults } from "@factory/runtime/idempotency/erase-address";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { EntitlementService } from "../../plans/entitlements/entitlement.service.js";
import { UsageSources } from "../../plans/entitlements/usage/sources.js";
import { PermissionLossHandlers } from "../../rights/access-control/permission-loss.js";
import { PersonalDataErasers } from "./personal-data.js";
import { takenSeats } from "./seat-statement.js";
import { Seats, seatsFeature } from "./seats.js";
import { User } from "./user.entity.js";
import { UserResolver } from "./user.resolver.js";
import { UserService } from "./user.service.js";
import { DeletedUserType, UserType } from "./user.type.js";
import { UserLifecycleService } from "./user-lifecycle.service.js";

/** A tenant's users. */
export const users: SliceModule = {
  slice: "users",
  entities: [User],
  events: ["UserDisabled", "UserEnabled", "UserDeleted", "PasswordChanged"],
  start({ database, cursors }, services) {
    const onPermissionLoss = services.get(PermissionLossHandlers).handle;
    const erasers = services.add(new PersonalDataErasers());
    erasers.add(eraseAddressFromResults);
    const erasePersonalData = erasers.erase;
    services.add(new UserService(database, cursors));
    const seats = services.add(new Seats(services.get(EntitlementService)));
    services.get(UsageSources).add(seatsFeature, takenSeats);
    services.add(new UserLifecycleService({ database, seats, onPermissionLoss, erasePersonalData }));
  },
  resolvers: (get) => [
    new UserResolver(get(UserService), get(UserLifecycleService)),
    heldObjectResolver(DeletedUserType, UserType, { name: "user", description: "The user after the deletion." }),
  ],
  links: {
    "DeletedUser.tenantId": { to: "Tenant" },
    "OrphanedClient.clientId": { to: "ApiClient" },
    "User.tenantId": { to: "Tenant" },
  },
  references(get) {
    const service = get(UserService);
    return {
      User: {
        id: { prefix: "usr", field: "userId" },
        auth: { scopes: ["user.read"] },
        resolve: ({ userId = "" }, context) => service.find(context, userId),
      },
    };
  },
};
