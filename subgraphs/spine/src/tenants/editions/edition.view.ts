import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Edition } from "./edition.entity.js";
import type { EditionType } from "./edition.type.js";

/** All edition columns. */
export type StoredEdition = RowOf<Edition>;

export const editionColumns = columnsOf(Edition);
export const readEdition = rowReader(Edition);

export const editionView = (edition: RecordOf<Edition>): EditionType => ({
  code: edition.code,
  name: edition.name,
  description: edition.description,
  trialDays: edition.trialDays,
  features: edition.features,
  active: edition.active,
  selfService: edition.selfService,
  version: edition.version,
  createdAt: edition.createdAt.toISOString(),
  updatedAt: edition.updatedAt.toISOString(),
});
