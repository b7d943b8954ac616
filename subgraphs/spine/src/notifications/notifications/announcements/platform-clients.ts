import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { type PlatformClientNotice, platformMadeClients } from "../../../oauth-clients/platform-made-clients.js";
import { type OwnerArrivalHandler, ownersOf } from "../../../rights/roles/owners.js";
import { platformClientCreated, platformClientsExist } from "../../notification-templates/platform-client-templates.js";
import { activeUsers } from "../record/active-users-statement.js";
import { announce } from "./announcement.js";

/** A transaction tells so many owners, those who have been owners for longest. */
const maxOwners = 100;
const maxNames = 20;

/** Tells a tenant's owners that the platform has made a client in it. */
export const tellOwners =
  (jobs: JobQueue): PlatformClientNotice =>
  async (transaction, { clientId, name, scopes }) => {
    const owners = await ownersOf(transaction, maxOwners);
    const active = await activeUsers(transaction, owners);
    const data = { clientId, name, scopes: scopes.join(", ") };
    const userIds = owners.filter((owner) => active.has(owner));
    await announce(transaction, jobs, {
      ...{ template: platformClientCreated, data, userIds },
      channels: ["InApp", "Email"],
    });
  };

/** Tells a new owner in the inbox which clients the platform made before. */
export const tellNewOwner =
  (jobs: JobQueue): OwnerArrivalHandler =>
  async (transaction, userId) => {
    const clients = await platformMadeClients(transaction, maxNames + 1);
    if (clients.length === 0) return;
    const names = clients.slice(0, maxNames).map(({ name, clientId }) => `${name} (${clientId})`);
    if (clients.length > maxNames) names.push("…");
    const data = { names: names.join(", ") };
    await announce(transaction, jobs, {
      ...{ template: platformClientsExist, data, userIds: [userId] },
      channels: ["InApp"],
    });
  };
