import type { MessageTemplate } from "./message-template.js";

const setting = "governance.allowPlatformClients";

/** Tells a client's owners that the platform has made it. Requests cannot name it, and tenants have no texts for it. */
export const platformClientCreated: MessageTemplate = {
  key: "platform-client-created",
  variables: {},
  texts: {
    en: {
      subject: "The platform has created an API client in your organization",
      paragraphs: [
        "The operator of the platform has created the client {{name}} ({{clientId}}), which acts in your organization with the scopes {{scopes}}.",
        `If you do not want it, disable it: the list of API clients marks it as created by the platform. The setting ${setting} refuses further ones.`,
      ],
    },
    de: {
      subject: "Die Plattform hat einen API-Client in Ihrer Organisation angelegt",
      paragraphs: [
        "Der Betreiber der Plattform hat den Client {{name}} ({{clientId}}) angelegt, der in Ihrer Organisation mit den Berechtigungen {{scopes}} handelt.",
        `Wenn Sie das nicht wollen, sperren Sie ihn: Die Liste der API-Clients zeigt, dass die Plattform ihn angelegt hat. Die Einstellung ${setting} verhindert weitere.`,
      ],
    },
    fr: {
      subject: "La plateforme a créé un client d’API dans votre organisation",
      paragraphs: [
        "L’exploitant de la plateforme a créé le client {{name}} ({{clientId}}), qui agit dans votre organisation avec les droits {{scopes}}.",
        `Si vous n’en voulez pas, désactivez-le : la liste des clients d’API indique que la plateforme l’a créé. Le paramètre ${setting} en refuse d’autres.`,
      ],
    },
  },
};

/** Tells a new owner about the clients that the platform made before. Requests cannot name it either. */
export const platformClientsExist: MessageTemplate = {
  key: "platform-clients-exist",
  variables: {},
  texts: {
    en: {
      subject: "API clients of the platform in your organization",
      paragraphs: [
        "The operator of the platform has created clients that act in your organization: {{names}}.",
        `If you do not want one of them, disable it: the list of API clients marks them as created by the platform. The setting ${setting} refuses further ones.`,
      ],
    },
    de: {
      subject: "API-Clients der Plattform in Ihrer Organisation",
      paragraphs: [
        "Der Betreiber der Plattform hat Clients angelegt, die in Ihrer Organisation handeln: {{names}}.",
        `Wenn Sie einen davon nicht wollen, sperren Sie ihn: Die Liste der API-Clients zeigt, dass die Plattform sie angelegt hat. Die Einstellung ${setting} verhindert weitere.`,
      ],
    },
    fr: {
      subject: "Clients d’API de la plateforme dans votre organisation",
      paragraphs: [
        "L’exploitant de la plateforme a créé des clients qui agissent dans votre organisation : {{names}}.",
        `Si vous n’en voulez pas un, désactivez-le : la liste des clients d’API indique que la plateforme les a créés. Le paramètre ${setting} en refuse d’autres.`,
      ],
    },
  },
};
