import type { Verifier } from "@factory/runtime/auth/authenticate";
import { CommandRefusals } from "@factory/runtime/commands/command-refusals";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CompatibilityService } from "../compatibility/compatibility/compatibility.service.js";
import { DependencyScanService } from "../compatibility/dependency-scans/dependency-scan.service.js";
import { LibraryImportService } from "../libraries/libraries/library-import.service.js";
import { LibraryVersionService } from "../libraries/libraries/library-version.service.js";
import { TemplatePromotionService } from "../templates/templates/template-promotion.service.js";
import { CommandService } from "./command.service.js";
import { checkedImportCommand, checkedScan } from "./command-data.js";
import { CommandJob, importPackageJob, scanDependenciesJob } from "./command-job.js";
import { promotionEndpoint } from "./promotion.endpoint.js";
import { Promotions } from "./promotions.js";
import { recordRefusal } from "./record-refusal.js";

export interface CommandSettings {
  /** Verifies gRPC callers' tokens. */
  readonly verifier: Verifier;
}

/** Commands for publishing and importing, from the bus and over gRPC. */
export const commands: SliceModule<CommandSettings> = {
  slice: "commands",
  jobs: [importPackageJob, scanDependenciesJob],
  events: ["CommandRefused"],
  start({ database, jobs, logger, work, consume }, services) {
    const promotions = services.add(
      new Promotions(services.get(TemplatePromotionService), services.get(LibraryVersionService)),
    );
    const refusals = new CommandRefusals(database, logger, recordRefusal);
    const imports = services.get(LibraryImportService);
    const scans = services.get(DependencyScanService);
    const importing = new CommandJob({
      ...{ database, jobs, refusals, job: importPackageJob, checked: checkedImportCommand },
      execute: (context, input) => imports.importPackage(context, input),
    });
    const scanning = new CommandJob({
      ...{ database, jobs, refusals, job: scanDependenciesJob, checked: checkedScan },
      execute: (context, input) => scans.scan(context, input),
    });
    work(importPackageJob, (payload) => importing.run(payload), importing);
    work(scanDependenciesJob, (payload) => scanning.run(payload), scanning);
    const accepting = { ImportLibraryPackage: importing, ScanDependencies: scanning };
    consume(new CommandService({ promotions, jobs: accepting, refusals }));
  },
  grpcServices(get, { settings, onStop }) {
    const stopping = new AbortController();
    onStop(() => stopping.abort());
    return [
      promotionEndpoint({
        promotions: get(Promotions),
        imports: get(LibraryImportService),
        scans: get(DependencyScanService),
        compatibility: get(CompatibilityService),
        verifier: settings.verifier,
        stopping: stopping.signal,
      }),
    ];
  },
};
