// tables: runs, credential_versions

/**
 * $1: tenant, $2: credential. The waiting runs whose version has left the state Previous. A run that another
 * transaction ends is left out, since that transaction waits for the credential's lock.
 */
export const openRetirements = {
  name: "credential_open_retirements",
  text: `select run.run_id from runs run
    where run.tenant_id = $1 and run.credential_id = $2 and run.operation = 'RetireCredentialVersion'
      and run.status in ('Queued', 'RetryScheduled')
      and not exists (
        select from credential_versions version
        where version.tenant_id = run.tenant_id and version.credential_id = run.credential_id
          and version.version = (run.payload->>'version')::int and version.stage = 'Previous')
    for update of run skip locked`,
};
