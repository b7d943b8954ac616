import type { EditionFeatures } from "@factory/schema/edition-features";
import type { Edition } from "./edition.entity.js";
import type { EditionType } from "./edition.type.js";

/** A row of `editions` as PostgreSQL returns it. */
export interface EditionRow {
  code: string;
  name: string;
  description: string | null;
  trial_days: number;
  features: EditionFeatures;
  active: boolean;
  self_service: boolean;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export const editionColumns =
  "code, name, description, trial_days, features, active, self_service, version, created_at, updated_at";

export const editionRowView = (row: EditionRow): EditionType => ({
  code: row.code,
  name: row.name,
  description: row.description,
  trialDays: row.trial_days,
  features: row.features,
  active: row.active,
  selfService: row.self_service,
  version: row.version,
  createdAt: new Date(row.created_at).toISOString(),
  updatedAt: new Date(row.updated_at).toISOString(),
});

export const editionView = (edition: Edition): EditionType => ({
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
