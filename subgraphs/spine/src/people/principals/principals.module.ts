import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantService } from "../../tenants/tenants/tenant.service.js";
import { UserService } from "../users/user.service.js";
import { PrincipalResolver } from "./principal.resolver.js";

/** `Query.me`, the principal in the access token. */
export const principals: SliceModule = {
  slice: "principals",
  resolvers: (get) => [new PrincipalResolver(get(UserService), get(TenantService))],
  links: {
    "Principal.clientId": { to: "ApiClient" },
  },
};
