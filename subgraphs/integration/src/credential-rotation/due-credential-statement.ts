// tables: credentials

const batchSize = 500;

/** All tenants' credentials with a change that is due at $1 and has no job yet. */
export const dueCredentials = {
  name: "due_credentials",
  text: `select tenant_id, credential_id from credentials
    where next_change_at <= $1 and change_sent_at is null order by next_change_at limit ${batchSize}`,
  batchSize,
};

/** Marks a credential's due change ($3: now) as sent, unless another process did. */
export const markChangeSent = {
  name: "mark_credential_change_sent",
  text: `update credentials set change_sent_at = $3
    where tenant_id = $1 and credential_id = $2 and next_change_at <= $3 and change_sent_at is null returning true`,
};
