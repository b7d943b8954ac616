import type { ComposedMessage } from "../../notification-templates/compose-message.js";
import { notificationMail } from "./notification-mail.js";

const hostile = '<img src=x onerror="alert(1)">\' & {{title}}';
const message: ComposedMessage = {
  locale: "de-CH",
  title: "Bericht\r\nBcc: eve@evil.example",
  paragraphs: [hostile, "erste Zeile\nzweite Zeile"],
  link: { label: `Öffnen ${hostile}`, url: "https://factory.example/?a=1&b=%22" },
};
const unsubscribeUrl = "https://factory.example/connect/unsubscribe?token=x";

describe("the mail of a notification", () => {
  const mail = notificationMail({ to: "ada@people.example", message, unsubscribeUrl });

  it("has its values as text in the HTML, whatever they contain", () => {
    expect(mail.html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39; &amp; {{title}}");
    expect(mail.html).not.toMatch(/<img|onerror="/);
    expect(mail.html).toContain('<a href="https://factory.example/?a=1&amp;b=%22">');
    expect(mail.html).toContain("erste Zeile<br>\nzweite Zeile");
    expect(mail.html).toContain('<html lang="de-CH">');
  });

  it("has the same content as text, unescaped", () => {
    expect(mail.text).toContain(`${hostile}\n\nerste Zeile\nzweite Zeile\n\nÖffnen ${hostile}:\nhttps://`);
  });

  it("has a subject of one line", () => {
    expect(mail.subject).toBe("Bericht Bcc: eve@evil.example");
  });

  it("has the beginning of its text as the subject where it has no title", () => {
    const subjectOf = (...paragraphs: string[]) =>
      notificationMail({ to: "ada@people.example", message: { ...message, title: "", paragraphs }, unsubscribeUrl })
        .subject;
    expect(subjectOf("Hello\nAda")).toBe("Hello Ada");
    expect(subjectOf("x".repeat(500))).toBe(`${"x".repeat(77)}…`);
    expect(subjectOf()).toBe("Notification");
  });

  it("tells in its language how to unsubscribe, and as a header", () => {
    expect(mail.text).toContain(`Abmelden: ${unsubscribeUrl}`);
    expect(mail.html).toContain(`<a href="${unsubscribeUrl}">Abmelden</a>`);
    expect(mail.listUnsubscribe).toBe(`<${unsubscribeUrl}>`);
  });

  it("names the tenant that sends it, in its language, as text of one line", () => {
    const senderName = ' <b>Acme</b> "GmbH"\r\nBcc: eve@evil.example\u202E ';
    const namedMail = notificationMail({ to: "ada@people.example", message, unsubscribeUrl: undefined, senderName });
    expect(namedMail.text).toMatch(/\n-- \nGesendet von <b>Acme<\/b> "GmbH" Bcc: eve@evil.example\n$/);
    expect(namedMail.html).toContain("<small>Gesendet von &lt;b&gt;Acme&lt;/b&gt; &quot;GmbH&quot; Bcc: eve@");
    expect(namedMail.senderName).toBe('<b>Acme</b> "GmbH" Bcc: eve@evil.example');
    const long = notificationMail({ to: "ada@people.example", message, unsubscribeUrl, senderName: "x".repeat(200) });
    expect(long.senderName).toBe(`${"x".repeat(69)}…`);
    expect(mail.text).not.toContain("Gesendet");
  });

  it("has neither where the category cannot be switched off", () => {
    const always = notificationMail({ to: "ada@people.example", message, unsubscribeUrl: undefined });
    expect(always).not.toHaveProperty("listUnsubscribe");
    expect(`${always.text}${always.html}`).not.toContain("Abmelden");
  });
});
