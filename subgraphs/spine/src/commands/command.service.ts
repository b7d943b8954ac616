import type { BusMessage, CommandConsumer } from "@factory/runtime/bus/bus";
import { contextOf } from "@factory/runtime/commands/command-context";
import { type CommandRefusals, isRefusal } from "@factory/runtime/commands/command-refusals";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { checkedCommandData } from "@factory/runtime/messages/command-data";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant } from "@factory/runtime/tenancy/tenant";
import { type CommandOf, commandsOf } from "@factory/schema/command-names";
import type { InvitationService } from "../people/invitations/invitation.service.js";
import type { PlanSubscriptionService } from "../plans/plan-subscriptions/plan-subscription.service.js";
import type { ReportCommand, ReportRunService } from "../reports/reports/runs/report-run.service.js";
import type { ProvisioningService } from "../tenants/tenants/provisioning.service.js";

/** Each command's data, as its schema in `schema/commands` defines it. */
interface CommandData {
  ProvisionTenant: { tenantId: string };
  GenerateReport: ReportCommand;
  ExpireInvitation: { invitationId: string };
  RenewSubscription: { subscriptionId: string };
}

type Handlers = { [C in CommandOf<"spine">]: (context: RequestContext, data: CommandData[C]) => Promise<unknown> };

interface CommandServices {
  readonly provisioning: ProvisioningService;
  readonly reports: ReportRunService;
  readonly invitations: InvitationService;
  readonly plans: PlanSubscriptionService;
  readonly refusals: CommandRefusals;
}

/** Carries out the commands that the bus delivers to the spine. */
export class CommandService implements CommandConsumer {
  readonly group = "spine.commands";
  readonly kind = "command";
  readonly types = commandsOf("spine");
  readonly #handlers: Handlers;
  readonly #refusals: CommandRefusals;

  constructor({ provisioning, reports, invitations, plans, refusals }: CommandServices) {
    this.#refusals = refusals;
    this.#handlers = {
      async ProvisionTenant(context, { tenantId }) {
        requireSameTenant(context, tenantId);
        await provisioning.request(context, tenantId);
      },
      GenerateReport: (context, data) => reports.generateByCode(context, data),
      ExpireInvitation: (context, { invitationId }) => invitations.expire(context, invitationId),
      RenewSubscription: (context, { subscriptionId }) => plans.renew(context, subscriptionId),
    };
  }

  /** Runs commands one after the other, since a command may depend on the one before. */
  async handle(messages: readonly BusMessage<CommandEnvelope>[]): Promise<void> {
    for (const { envelope } of messages) await this.#execute(envelope);
  }

  /** An error that is not a refusal is thrown, and the bus delivers the command again. */
  async #execute(command: CommandEnvelope): Promise<void> {
    if (await this.#refusals.wasRefused(command)) return;
    try {
      // the bus delivers only types that this consumer handles
      await this.#run(command.type as CommandOf<"spine">, command);
    } catch (error) {
      if (!isRefusal(error) && !isFull(error)) throw error;
      await this.#refusals.report(command, error.code, error.facts.detail);
    }
  }

  async #run<C extends CommandOf<"spine">>(type: C, command: CommandEnvelope): Promise<void> {
    const data = checkedCommandData(type, command.data);
    await this.#handlers[type](contextOf(command), data as unknown as CommandData[C]);
  }
}

/**
 * Too many open runs in a tenant last longer than the bus would repeat the command. Its sender sends another one later.
 */
const isFull = (error: unknown): error is DomainError => error instanceof DomainError && error.code === "RATE_LIMITED";
