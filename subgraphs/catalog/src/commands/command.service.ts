import type { BusMessage, CommandConsumer } from "@factory/runtime/bus/bus";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { contextOf } from "./command-context.js";
import { type CommandRefusals, isRefusal } from "./command-refusals.js";
import type { ImportCommandService } from "./import-command.service.js";
import type { Promotions } from "./promotions.js";

interface CommandServices {
  readonly promotions: Promotions;
  readonly imports: ImportCommandService;
  readonly refusals: CommandRefusals;
}

/** Carries out the commands that the bus brings to the catalog. */
export class CommandService implements CommandConsumer {
  readonly group = "catalog.commands";
  readonly kind = "command";
  readonly types = (Object.keys(commandTypes) as CommandType[]).filter(
    (type) => commandTypes[type].handler === "catalog",
  );
  readonly #services: CommandServices;

  constructor(services: CommandServices) {
    this.#services = services;
  }

  /** One after the other: a version is published before the next command deprecates it. */
  async handle(messages: readonly BusMessage<CommandEnvelope>[]): Promise<void> {
    for (const { envelope } of messages) await this.#carryOut(envelope);
  }

  /** What throws here is no refusal: the bus delivers the command again. */
  async #carryOut(command: CommandEnvelope): Promise<void> {
    const { promotions, imports, refusals } = this.#services;
    if (await refusals.wasTold(command)) return;
    try {
      const { type } = command;
      if (type === "ImportLibraryPackage") await imports.accept(command);
      else await promotions.carryOut(type, contextOf(command), command.data);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await refusals.tell(command, error.code, error.facts.detail);
    }
  }
}
