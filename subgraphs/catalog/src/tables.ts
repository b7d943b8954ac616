import { CompatibilityMatrix } from "./compatibility/compatibility-matrix.entity.js";
import { Execution } from "./executions/execution.entity.js";
import { ExecutionChange } from "./executions/execution-change.entity.js";
import { ScaffoldFile } from "./executions/scaffold-file.entity.js";
import { Library } from "./libraries/library.entity.js";
import { LibraryVersion } from "./libraries/library-version.entity.js";
import { Migration20261121072213_first } from "./migrations/Migration20261121072213_first.js";
import { Migration20261121075513_retention } from "./migrations/Migration20261121075513_retention.js";
import { Migration20261121100045_executions } from "./migrations/Migration20261121100045_executions.js";
import { Migration20261121105059_promotion } from "./migrations/Migration20261121105059_promotion.js";
import { TemplateVersion } from "./template-versions/template-version.entity.js";
import { Template } from "./templates/template.entity.js";
import { ValidationResult } from "./validations/validation-result.entity.js";

export const catalogTables = {
  entities: [
    Template,
    TemplateVersion,
    Execution,
    ExecutionChange,
    ScaffoldFile,
    ValidationResult,
    Library,
    LibraryVersion,
    CompatibilityMatrix,
  ],
  migrations: [
    Migration20261121072213_first,
    Migration20261121075513_retention,
    Migration20261121100045_executions,
    Migration20261121105059_promotion,
  ],
};
