import type { MessageTemplate } from "./message-template.js";

const executionFailed: MessageTemplate = {
  key: "execution-failed",
  variables: {
    templateName: { type: "text" },
    repository: { type: "text" },
    reason: { type: "text", optional: true },
    url: { type: "address", optional: true },
  },
  linkTo: "url",
  texts: {
    en: {
      subject: "{{templateName}} could not be executed",
      paragraphs: [
        "The template {{templateName}} was not executed into {{repository}}.{{#reason}} The reason: {{reason}}{{/reason}}",
      ],
      link: "Show the execution",
    },
    de: {
      subject: "{{templateName}} konnte nicht ausgeführt werden",
      paragraphs: [
        "Die Vorlage {{templateName}} wurde nicht in {{repository}} ausgeführt.{{#reason}} Der Grund: {{reason}}{{/reason}}",
      ],
      link: "Ausführung anzeigen",
    },
    fr: {
      subject: "{{templateName}} n’a pas pu être exécuté",
      paragraphs: [
        "Le modèle {{templateName}} n’a pas été exécuté dans {{repository}}.{{#reason}} Raison : {{reason}}{{/reason}}",
      ],
      link: "Afficher l’exécution",
    },
  },
};

const limitReached: MessageTemplate = {
  key: "limit-reached",
  variables: {
    featureName: { type: "text" },
    limit: { type: "number" },
    resetAt: { type: "text", optional: true },
    url: { type: "address", optional: true },
  },
  linkTo: "url",
  texts: {
    en: {
      subject: "The limit of {{featureName}} is reached",
      paragraphs: [
        "Your plan includes {{limit}} of {{featureName}}, and all of it is used.",
        "{{#resetAt}}The count starts anew at {{resetAt}}.{{/resetAt}}",
      ],
      link: "Compare the plans",
    },
    de: {
      subject: "Das Limit von {{featureName}} ist erreicht",
      paragraphs: [
        "Ihr Tarif enthält {{limit}} von {{featureName}}, und alles davon ist verbraucht.",
        "{{#resetAt}}Die Zählung beginnt neu: {{resetAt}}.{{/resetAt}}",
      ],
      link: "Tarife vergleichen",
    },
    fr: {
      subject: "La limite de {{featureName}} est atteinte",
      paragraphs: [
        "Votre offre comprend {{limit}} de {{featureName}}, et tout est utilisé.",
        "{{#resetAt}}Le compte repart à zéro : {{resetAt}}.{{/resetAt}}",
      ],
      link: "Comparer les offres",
    },
  },
};

const reportReady: MessageTemplate = {
  key: "report-ready",
  variables: { reportName: { type: "text" }, url: { type: "address" } },
  linkTo: "url",
  texts: {
    en: {
      subject: "Your report {{reportName}} is ready",
      paragraphs: ["The report {{reportName}} was generated. It is kept for 30 days."],
      link: "Download the report",
    },
    de: {
      subject: "Ihr Bericht {{reportName}} ist fertig",
      paragraphs: ["Der Bericht {{reportName}} wurde erstellt. Er wird 30 Tage lang aufbewahrt."],
      link: "Bericht herunterladen",
    },
    fr: {
      subject: "Votre rapport {{reportName}} est prêt",
      paragraphs: ["Le rapport {{reportName}} a été créé. Il est conservé pendant 30 jours."],
      link: "Télécharger le rapport",
    },
  },
};

/** The templates that requests may name, by their keys. */
export const builtInTemplates: ReadonlyMap<string, MessageTemplate> = new Map(
  [executionFailed, limitReached, reportReady].map((template) => [template.key, template]),
);

/** Many notifications in one message. Requests cannot name it, so its data is not checked. */
export const digestTemplate: MessageTemplate = {
  key: "digest",
  variables: {},
  texts: {
    en: {
      subject: "{{count}} notifications",
      paragraphs: [
        "{{#items}}{{#title}}{{title}}: {{/title}}{{body}}\n\n{{/items}}",
        "{{#more}}And {{more}} more.{{/more}}",
      ],
    },
    de: {
      subject: "{{count}} Benachrichtigungen",
      paragraphs: [
        "{{#items}}{{#title}}{{title}}: {{/title}}{{body}}\n\n{{/items}}",
        "{{#more}}Und {{more}} weitere.{{/more}}",
      ],
    },
    fr: {
      subject: "{{count}} notifications",
      paragraphs: [
        "{{#items}}{{#title}}{{title}} : {{/title}}{{body}}\n\n{{/items}}",
        "{{#more}}Et {{more}} autres.{{/more}}",
      ],
    },
  },
};
