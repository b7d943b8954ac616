import type { MessageTemplate } from "./message-template.js";

/** Tells the people who may rotate a credential that its new version waits. Requests cannot name it. */
export const materialAwaited: MessageTemplate = {
  key: "credential-material-awaited",
  variables: {},
  texts: {
    en: {
      subject: "The new secret of {{name}} is awaited",
      paragraphs: [
        "The credential {{name}} ({{kind}}) is being replaced, and only its vendor can create the new secret.",
        "Create it there, and give it before {{materialDueAt}} by {{giveAt}} with the credentialId {{credentialId}} and the secret. Otherwise the rotation fails, and the present secret stays.",
      ],
    },
    de: {
      subject: "Das neue Geheimnis von {{name}} wird erwartet",
      paragraphs: [
        "Die Zugangsdaten {{name}} ({{kind}}) werden ersetzt, und nur ihr Anbieter kann das neue Geheimnis erzeugen.",
        "Erzeugen Sie es dort, und geben Sie es vor {{materialDueAt}} durch {{giveAt}} mit der credentialId {{credentialId}} und dem secret. Sonst scheitert der Wechsel, und das jetzige Geheimnis bleibt.",
      ],
    },
    fr: {
      subject: "Le nouveau secret de {{name}} est attendu",
      paragraphs: [
        "L’identifiant {{name}} ({{kind}}) est en cours de remplacement, et seul son fournisseur peut créer le nouveau secret.",
        "Créez-le chez lui et transmettez-le avant le {{materialDueAt}} par {{giveAt}} avec le credentialId {{credentialId}} et le secret. Sinon, le remplacement échoue et le secret actuel reste en place.",
      ],
    },
  },
};
