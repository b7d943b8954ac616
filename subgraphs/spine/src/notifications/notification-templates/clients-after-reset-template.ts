import type { MessageTemplate } from "./message-template.js";

/** Tells which clients a new password does not end. Requests cannot name it, and tenants have no texts for it. */
export const clientsAfterReset: MessageTemplate = {
  key: "clients-after-reset",
  variables: {},
  texts: {
    en: {
      subject: "API clients go on after a new password",
      paragraphs: [
        "{{email}} has set a new password by a mailed link. API clients whose secret only this person knew go on working: {{names}}.",
        "If somebody else may know these secrets, end the clients with disableUserApiClients for the user {{userId}}.",
      ],
    },
    de: {
      subject: "API-Clients arbeiten nach einem neuen Passwort weiter",
      paragraphs: [
        "{{email}} hat über einen Link per E-Mail ein neues Passwort gesetzt. API-Clients, deren Geheimnis nur diese Person kannte, arbeiten weiter: {{names}}.",
        "Wenn jemand anders diese Geheimnisse kennen könnte, beenden Sie die Clients mit disableUserApiClients für den Benutzer {{userId}}.",
      ],
    },
    fr: {
      subject: "Des clients d’API continuent après un nouveau mot de passe",
      paragraphs: [
        "{{email}} a choisi un nouveau mot de passe par un lien envoyé par e-mail. Les clients d’API dont seule cette personne connaissait le secret continuent : {{names}}.",
        "Si quelqu’un d’autre peut connaître ces secrets, arrêtez les clients avec disableUserApiClients pour l’utilisateur {{userId}}.",
      ],
    },
  },
};
