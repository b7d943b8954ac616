import type { BusMessage, CommandConsumer } from "@factory/runtime/bus/bus";
import { contextOf } from "@factory/runtime/commands/command-context";
import { type CommandRefusals, isRefusal } from "@factory/runtime/commands/command-refusals";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { type CommandOf, commandsOf } from "@factory/schema/command-names";
import type { Promotions, PromotionType } from "./promotions.js";

interface CommandServices {
  readonly promotions: Promotions;
  /** The commands that run as jobs. */
  readonly jobs: { readonly [C in Exclude<CommandOf<"catalog">, PromotionType>]: AcceptedCommand };
  readonly refusals: CommandRefusals;
}

/** Accepts a command by sending its job. */
interface AcceptedCommand {
  accept(command: CommandEnvelope): Promise<void>;
}

/** Executes the commands that the bus delivers to the catalog. */
export class CommandService implements CommandConsumer {
  readonly group = "catalog.commands";
  readonly kind = "command";
  readonly types = commandsOf("catalog");
  readonly #services: CommandServices;

  constructor(services: CommandServices) {
    this.#services = services;
  }

  /** Runs commands one after the other, since a command may depend on the one before. */
  async handle(messages: readonly BusMessage<CommandEnvelope>[]): Promise<void> {
    for (const { envelope } of messages) await this.#execute(envelope);
  }

  /** An error that is not a refusal is thrown, and the bus delivers the command again. */
  async #execute(command: CommandEnvelope): Promise<void> {
    const { promotions, jobs, refusals } = this.#services;
    if (await refusals.wasRefused(command)) return;
    try {
      // the bus delivers only this consumer's types
      const type = command.type as CommandOf<"catalog">;
      if (type === "ImportLibraryPackage" || type === "ScanDependencies") await jobs[type].accept(command);
      else await promotions.execute(type, contextOf(command), command.data);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await refusals.report(command, error.code, error.facts.detail);
    }
  }
}
