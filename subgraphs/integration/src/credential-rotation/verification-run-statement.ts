// tables: runs, credentials

/**
 * $1: tenant, $2: credential. Locks the run that verifies a rotation, before the credential: a run's end takes its
 * locks in this order too.
 */
export const lockVerification = {
  name: "credential_lock_verification",
  text: `select run_id from runs where tenant_id = $1 and run_id = (
      select rotation_run_id from credentials where tenant_id = $1 and credential_id = $2
        and (status = 'Rotating' or material_due_at is not null))
    for update`,
};
