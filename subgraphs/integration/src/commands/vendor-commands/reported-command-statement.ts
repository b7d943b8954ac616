// tables: vendor_commands, runs

import { namedStatement } from "@factory/runtime/db/named-parameters";

/**
 * The command that the vendor has accepted, or may have accepted before it was given up, with its run's cause. The
 * command's id, the vendor's id and the connections may be null, which means all. A vendor may give one id to two
 * things, for example a mail and a contact.
 */
export const reportedCommand = namedStatement(
  "vendor_command_reported",
  `select command_id, command.type, command.run_id, command.connection_id, vendor_reference, payload->'facts' as facts,
      project_id, correlation_id, traceparent, requested_by
    from vendor_commands command join runs run using (tenant_id, run_id)
    where command.tenant_id = $tenant and provider_id = $provider and command.type = $type
      and (command.status in ('Done', 'DeadLettered') or $inEveryState::boolean)
      and ($connections::uuid[] is null or command.connection_id = any($connections))
      and (command_id = $command or vendor_reference = $vendorId)
    order by command_id = $command desc nulls last, command.received_at limit 1`,
);
