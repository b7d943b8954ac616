// tables: vendor_commands, runs

/**
 * $1: tenant, $2: provider, $3: id of the command or null, $4: id of the vendor or null, $5: type of the command, $6: whether
 * it counts in every state, $7: the connections of which the report may tell, or null for all. The command that the vendor
 * has accepted, or may have accepted before it was given up, with the cause of its run. A vendor may give one id to two
 * things, for example a mail and a contact.
 */
export const reportedCommand = {
  name: "vendor_command_reported",
  text: `select command_id, command.type, command.run_id, command.connection_id, vendor_reference, payload->'facts' as facts,
      project_id, correlation_id, traceparent, requested_by
    from vendor_commands command join runs run using (tenant_id, run_id)
    where command.tenant_id = $1 and provider_id = $2 and command.type = $5 and (command.status in ('Done', 'DeadLettered') or $6::boolean)
      and ($7::uuid[] is null or command.connection_id = any($7)) and (command_id = $3 or vendor_reference = $4)
    order by command_id = $3 desc nulls last, command.received_at limit 1`,
};
