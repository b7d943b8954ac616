import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { commandsOf } from "@factory/schema/command-names";
import { ConnectionService } from "../../connections/connections/connection.service.js";
import { VendorMailer } from "../../connections/vendor-calls/mailer.js";
import { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import { DeliveryHandlers } from "../../deliveries/delivery-handling/delivery-handlers.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { RunService } from "../../runs/run.service.js";
import { RunOperations } from "../../runs/run-operations.js";
import { CommandConnections } from "./command-connections.js";
import { CommandIntake } from "./command-intake.js";
import { CommandRun } from "./command-run.js";
import { CommandSender } from "./operator-commands.js";
import { PaymentRecords } from "./payments/payment-records.js";
import { commandSeal, sealedCommands } from "./sealed-commands.js";
import { StoredCommands } from "./stored-commands.js";
import { VendorCommand } from "./vendor-command.entity.js";
import { vendorCommandRetention } from "./vendor-command.retention.js";
import { reconcileReports } from "./vendor-reports.js";
import { VendorRequests } from "./vendor-requests.js";

export interface VendorCommandSettings {
  /** The commands' data is sealed under them. */
  readonly masterKeys: MasterKeys;
}

const history = "History: the command is kept as long as its run, whose deletion is another rule.";

/** Bus commands that are carried out at tenants' vendors, for example SendEmail. */
export const vendorCommands: SliceModule<VendorCommandSettings> = {
  slice: "vendor-commands",
  entities: [VendorCommand],
  foreignKeys: {
    "vendor_commands.run_id": { to: null, why: history },
    "vendor_commands.connection_id": { to: null, why: "History: the connection may be deleted." },
    "vendor_commands.provider_id": { to: null, why: "History, as for the connection." },
    "vendor_commands.reported_delivery_id": { to: null, why: "History: the delivery is deleted earlier." },
  },
  events: [
    ...([
      "EmailSent",
      "EmailDelivered",
      "EmailBounced",
      "EmailFailed",
      "SmsSent",
      "SmsDelivered",
      "SmsFailed",
    ] as const),
    ...(["ContactSynced", "TicketOpened"] as const),
    ...(["PaymentCharged", "PaymentFailed", "PaymentRefunded", "CheckoutSessionCreated"] as const),
    ...(["CommandRejected", "CommandDeadLettered"] as const),
  ],
  start({ database, logger, settings, consume }, services) {
    const rows = new StoredCommands(database, commandSeal(settings.masterKeys));
    const connections = services.add(
      new CommandConnections({
        database,
        connections: services.get(ConnectionService),
        providers: services.get(ProviderService),
      }),
    );
    services.add(new CommandSender(database));
    const payments = new PaymentRecords(database);
    const runs = services.get(RunService);
    const requests = new VendorRequests(services.get(VendorCalls), services.get(VendorMailer));
    const run = new CommandRun({ rows, payments, connections, requests });
    services.get(DeliveryHandlers).add(reconcileReports(payments, runs));
    const operations = services.get(RunOperations);
    for (const type of commandsOf("integration")) operations.add(type, run);
    consume(new CommandIntake({ database, rows, payments, connections, runs, logger }));
  },
  sealedTables: ({ masterKeys }) => [sealedCommands(commandSeal(masterKeys))],
  retention: () => [vendorCommandRetention],
};
