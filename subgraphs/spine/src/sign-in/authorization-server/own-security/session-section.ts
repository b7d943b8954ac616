import { type Html, html } from "@factory/runtime/html/html";
import type { OwnSession } from "../own-sessions/own-sessions.js";
import { actionForm } from "./action-form.js";

/** The person's sessions, each but the current one with a button that ends it. */
export function sessionSection({ sessions, csrfToken }: { sessions: readonly OwnSession[]; csrfToken: string }): Html {
  return html`<section>
<h2>Sessions</h2>
<ul class="rows">
${sessions.map((session) => sessionRow(session, csrfToken))}
</ul>
${sessions.some(({ isCurrent }) => !isCurrent) ? actionForm({ csrfToken, action: "end-other-sessions", button: "End all other sessions" }) : undefined}
</section>`;
}

function sessionRow(session: OwnSession, csrfToken: string): Html {
  const { sessionId, kind, clientName, userAgent, address, startedAt, lastSeenAt, isCurrent } = session;
  const facts = [
    address === null ? undefined : html`From ${address}<br>`,
    startedAt === null ? undefined : html`Signed in ${minuteOf(startedAt)}<br>`,
    lastSeenAt === null ? undefined : html`Last used ${minuteOf(lastSeenAt)}`,
  ];
  const device = deviceName(userAgent);
  const name = kind === "Browser" ? (device ?? "Browser") : (clientName ?? "Application");
  const details = name === device ? undefined : html`${device ?? userAgent ?? "Unknown device"}<br>`;
  return html`<li>
<strong>${name}</strong>${isCurrent ? " (this browser)" : ""}<br>
<span class="quiet">${details}${facts}</span>
${isCurrent ? undefined : actionForm({ csrfToken, action: "end-session", button: html`End<span class="apart"> the session in ${name}</span>`, fields: { sessionId } })}
</li>
`;
}

const minuteOf = (time: Date): Html => html`<time>${time.toISOString().slice(0, 16).replace("T", " ")} UTC</time>`;

type Names = readonly (readonly [pattern: RegExp, name: string])[];

/** A browser also names those that it wants to be taken for, so the first that fits counts. */
const browsers: Names = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|HeadlessChrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+.* Safari\//, "Safari"],
];

const systems: Names = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** The browser and the system in a header User-Agent, for example "Firefox on Windows". Undefined for other programs. */
export function deviceName(userAgent: string | null): string | undefined {
  const [browser, system] = [browsers, systems].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1],
  );
  return browser !== undefined && system !== undefined ? `${browser} on ${system}` : undefined;
}
