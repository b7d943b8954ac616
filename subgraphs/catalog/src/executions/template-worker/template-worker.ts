import { adviseUpgrades } from "../../compatibility/compatibility/advice/upgrade-advice.js";
import { upgradeTask } from "../../compatibility/compatibility/upgrade-advisor.js";
import { resolutionTask } from "../../compatibility/dependency-scans/dependency-scanner.js";
import { referencesTask, scanTemplate } from "../../compatibility/dependency-scans/references/scan-template.js";
import { resolvePackages } from "../../compatibility/dependency-scans/resolution/resolve-packages.js";
import { derivedErrors } from "../../templates/parameters/derived-check.js";
import { derivedTask, parameterTask, schemaTask } from "../../templates/parameters/parameter-checker.js";
import { checkParameters } from "../../templates/parameters/parameter-schema.js";
import { schemaFault } from "../../templates/parameters/schema-fitness.js";
import { runCheck } from "../../templates/template-checks/run-check.js";
import { checkTask } from "../../templates/validations/template-checker.js";
import { renderTemplate } from "../../workers/rendering/render-template.js";
import { renderTask } from "../../workers/rendering/template-renderer.js";
import { serveTasks } from "../../workers/worker-pool/serve-tasks.js";
import { taskHandler } from "../../workers/worker-pool/worker-task.js";

/** Entry of the catalog's worker processes: all tasks that they can be given. */
const handlers = [
  taskHandler(renderTask, renderTemplate),
  taskHandler(parameterTask, async ({ schema, parameters, templateNames }) => ({
    output: await checkParameters(schema, parameters, { templateNames }),
  })),
  taskHandler(derivedTask, async (order) => ({ output: await derivedErrors(order) })),
  taskHandler(schemaTask, async (schema) => ({ output: await schemaFault(schema) })),
  taskHandler(referencesTask, async (subject, files) => ({ output: await scanTemplate(files, subject) })),
  taskHandler(resolutionTask, (input) => ({ output: resolvePackages(input) })),
  taskHandler(upgradeTask, (input) => ({ output: adviseUpgrades(input) })),
  taskHandler(checkTask, async ({ check, ...subject }, files) => ({ output: await runCheck(check, files, subject) })),
];

// The first check of a process compiles the meta-schema; no caller's time limit should pay for that.
await serveTasks(handlers, () => checkParameters({ type: "object" }, {}));
