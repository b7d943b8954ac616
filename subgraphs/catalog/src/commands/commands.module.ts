import type { Verifier } from "@factory/runtime/auth/authenticate";
import { CommandRefusals } from "@factory/runtime/commands/command-refusals";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CompatibilityService } from "../compatibility/compatibility.service.js";
import { LibraryImportService } from "../libraries/library-import.service.js";
import { LibraryVersionService } from "../libraries/library-version.service.js";
import { TemplatePromotionService } from "../templates/template-promotion.service.js";
import { CommandService } from "./command.service.js";
import { ImportCommandService, importPackageJob } from "./import-command.service.js";
import { promotionEndpoint } from "./promotion.endpoint.js";
import { Promotions } from "./promotions.js";
import { recordRefusal } from "./record-refusal.js";

export interface CommandSettings {
  /** Verifies the tokens of gRPC callers. */
  readonly verifier: Verifier;
}

/** Commands for publishing and importing, from the bus and over gRPC. */
export const commands: SliceModule<CommandSettings> = {
  slice: "commands",
  jobs: [importPackageJob],
  events: ["CommandRefused"],
  start({ database, jobs, logger, work, consume }, services) {
    const promotions = services.add(
      new Promotions(services.get(TemplatePromotionService), services.get(LibraryVersionService)),
    );
    const refusals = new CommandRefusals(database, logger, recordRefusal);
    const imports = new ImportCommandService({ database, jobs, imports: services.get(LibraryImportService), refusals });
    work(importPackageJob, (payload) => imports.run(payload), imports);
    consume(new CommandService({ promotions, imports, refusals }));
  },
  grpcServices(get, { settings, onStop }) {
    const stopping = new AbortController();
    onStop(() => stopping.abort());
    return [
      promotionEndpoint({
        promotions: get(Promotions),
        imports: get(LibraryImportService),
        compatibility: get(CompatibilityService),
        verifier: settings.verifier,
        stopping: stopping.signal,
      }),
    ];
  },
};
