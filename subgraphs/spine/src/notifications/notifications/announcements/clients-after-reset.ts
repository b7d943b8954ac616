import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { clientsHeldOnlyBy } from "../../../oauth-clients/secret-holders.js";
import type { PasswordResetNotice } from "../../../people/passwords/resets/reset-notices.js";
import { lockUser } from "../../../people/users/find-users.js";
import { ownersOf } from "../../../rights/roles/owners.js";
import { clientsAfterReset } from "../../notification-templates/clients-after-reset-template.js";
import { activeUsers } from "../record/active-users-statement.js";
import { announce } from "./announcement.js";

const maxOwners = 100;
const maxNames = 20;

/**
 * Tells a person, and the owners, which clients only this person knew. A forgotten password must not end production, so
 * these clients go on; a thief with access to the account may know their secrets.
 */
export const tellOfClients =
  (jobs: JobQueue): PasswordResetNotice =>
  async (transaction, userId) => {
    const heldClients = await clientsHeldOnlyBy(transaction, userId);
    const active = heldClients.filter(({ status }) => status === "Active");
    if (active.length === 0) return;
    const names = active.slice(0, maxNames).map(({ name, clientId }) => `${name} (${clientId})`);
    if (active.length > maxNames) names.push("…");
    const { email } = await lockUser(transaction, userId);
    const people = [...new Set([userId, ...(await ownersOf(transaction, maxOwners))])];
    const reachable = await activeUsers(transaction, people);
    await announce(transaction, jobs, {
      template: clientsAfterReset,
      data: { email, names: names.join(", "), userId },
      userIds: people.filter((person) => reachable.has(person)),
      channels: ["InApp", "Email"],
    });
  };
