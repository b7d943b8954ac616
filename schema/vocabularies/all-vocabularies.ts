import * as compatibility from "./compatibility.js";
import * as connections from "./connections.js";
import * as credentials from "./credentials.js";
import * as events from "./events.js";
import * as executions from "./executions.js";
import * as governance from "./governance.js";
import * as jobs from "./jobs.js";
import * as libraries from "./libraries.js";
import * as notifications from "./notifications.js";
import * as people from "./people.js";
import * as plans from "./plans.js";
import * as providers from "./providers.js";
import * as reports from "./reports.js";
import * as runs from "./runs.js";
import * as settings from "./settings.js";
import * as signatures from "./signatures.js";
import * as templates from "./templates.js";
import * as tenants from "./tenants.js";
import type { Vocabulary } from "./vocabulary.js";
import * as webhooks from "./webhooks.js";

const domains = [
  compatibility,
  connections,
  credentials,
  events,
  executions,
  governance,
  jobs,
  libraries,
  notifications,
  people,
  plans,
  providers,
  reports,
  runs,
  settings,
  signatures,
  templates,
  tenants,
  webhooks,
];

/** Every vocabulary of the platform. */
export const allVocabularies: readonly Vocabulary[] = domains.flatMap((domain) =>
  Object.values<Vocabulary | readonly string[]>(domain).filter(
    (list): list is Vocabulary => "values" in list && typeof list.values === "object",
  ),
);
