import { isIP } from "node:net";
import { pointerToken } from "@factory/runtime/errors/json-pointer";
import { asciiHost } from "@factory/runtime/internet-names/host-name";
import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { commandMembers } from "@factory/runtime/messages/command-data";
import { commandsOf } from "@factory/schema/command-names";
import { reportedOutcomes } from "@factory/schema/vocabularies/providers";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import {
  type CommandTemplate,
  commandsWithUrl,
  commandsWithVendorId,
  type MailServer,
  moneyCommands,
  type VendorCommandType,
} from "./command-template.js";
import type { DriverProblems } from "./driver-problems.js";
import { commandOfOutcome } from "./vendor-report.js";

const maxDepth = 10;
const maxNodes = 300;
const pathForm = /^\/(?!\/)[!$-[\]-~]{0,1023}$/;
const pointerForm = /^(\/[^\p{Cc}\p{Surrogate}]{0,300}|)$/u;
const answerForm = /^(header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}|body:\/[^\p{Cc}\p{Surrogate}]{1,300})$/u;
const members = ["method", "path", "encoding", "body", "vendorId", "repeatable"];
const kinds: Readonly<Record<string, readonly string[]>> = {
  $value: ["$value"],
  $item: ["$item"],
  $each: ["$each", "$as"],
  $when: ["$when", "$then"],
};

/** Reports everything that is wrong with command templates. */
export function checkCommands(templates: unknown, pointer: string, problems: DriverProblems): void {
  if (templates === undefined) return;
  const commandNames = commandsOf("integration");
  for (const [name, template] of entriesOf(templates, pointer, problems)) {
    const at = `${pointer}/${pointerToken(name)}`;
    const type = commandNames.find((candidate) => candidate === name);
    if (type) checkTemplate(type, template, at, problems);
    else problems.refuse(at, `Must be one of ${commandNames.join(", ")}.`, "UNKNOWN_VALUE");
  }
}

function checkTemplate(type: VendorCommandType, input: unknown, at: string, problems: DriverProblems): void {
  const template = Object.fromEntries(entriesOf(input, at, problems)) as GivenTemplate;
  const allowedMembers = [
    ...members,
    ...(commandsWithUrl.includes(type) ? ["url"] : []),
    ...(moneyCommands.includes(type) ? ["state"] : []),
  ];
  for (const name of Object.keys(template))
    if (!allowedMembers.includes(name))
      problems.refuse(`${at}/${pointerToken(name)}`, `Must be one of ${allowedMembers.join(", ")}.`, "UNKNOWN_VALUE");
  problems.oneOf(`${at}/method`, String(template.method), ["POST", "PUT", "PATCH"]);
  problems.oneOf(`${at}/encoding`, String(template.encoding), ["json", "form"]);
  const { path, repeatable } = template;
  checkPath(path, `${at}/path`, problems);
  if (moneyCommands.includes(type) && template.state !== undefined)
    checkState(type, template.state, `${at}/state`, problems);
  if (repeatable !== undefined && typeof repeatable !== "boolean")
    problems.refuse(`${at}/repeatable`, "Must be true or false.", "TYPE");
  checkAnswer(type, template, at, problems);
  const body = new TemplateCheck(type, problems);
  if (Object.keys(kinds).some((name) => isObject(template.body) && Object.hasOwn(template.body, name)))
    problems.refuse(`${at}/body`, "The body is an object of the vendor, with values inside.");
  else if (!isObject(template.body)) problems.refuse(`${at}/body`, "Must be an object.", "TYPE");
  else body.check(template.body, `${at}/body`, { depth: 0, hasItem: false });
}

function checkPath(path: unknown, pointer: string, problems: DriverProblems): void {
  if (typeof path !== "string" || !pathForm.test(path) || /(^|\/|%2f)(\.|%2e){1,2}(\/|%2f|\?|$)/i.test(path))
    problems.refuse(pointer, "A path begins with a slash and has no segments . and .. and no fragment.");
}

/** Reports what is wrong with the request that asks for an outcome. */
function checkState(type: VendorCommandType, description: unknown, at: string, problems: DriverProblems): void {
  const { path, value, outcomes, ...others } = Object.fromEntries(entriesOf(description, at, problems));
  for (const name of Object.keys(others))
    problems.refuse(`${at}/${pointerToken(name)}`, "Must be one of path, value, outcomes.", "UNKNOWN_VALUE");
  checkPath(path, `${at}/path`, problems);
  if (!/\{(vendorId|commandId)\}/.test(String(path)))
    problems.refuse(`${at}/path`, "The path has {vendorId} or {commandId}.");
  if (typeof value !== "string" || !value.startsWith("body:") || !answerForm.test(value))
    problems.refuse(`${at}/value`, "The value stands at body:<JSON pointer>.");
  const ownOutcomes = valuesOf(reportedOutcomes).filter((outcome) => commandOfOutcome[outcome] === type);
  const entries = entriesOf(outcomes, `${at}/outcomes`, problems);
  if (entries.length > 20) problems.refuse(`${at}/outcomes`, "There may be at most 20 entries.", "TOO_LONG");
  for (const [state, outcome] of entries)
    problems.oneOf(`${at}/outcomes/${pointerToken(state)}`, String(outcome), ownOutcomes);
}

type GivenTemplate = Readonly<Partial<Record<keyof CommandTemplate, unknown>>>;

/** Reports what is wrong with the places where the values stand in the vendor's answer. */
function checkAnswer(type: VendorCommandType, template: GivenTemplate, at: string, problems: DriverProblems): void {
  const names = commandsWithUrl.includes(type) ? (["vendorId", "url"] as const) : (["vendorId"] as const);
  for (const name of names) {
    const place = template[name];
    if (place !== undefined && (typeof place !== "string" || !answerForm.test(place)))
      problems.refuse(`${at}/${name}`, "The value stands at body:<JSON pointer> or header:<name>.");
  }
  if (template.url === undefined && type === "CreateCheckoutSession")
    problems.refuse(`${at}/url`, `The answer to ${type} tells the address of the page.`, "REQUIRED");
  if (template.vendorId === undefined && commandsWithVendorId.includes(type))
    problems.refuse(`${at}/vendorId`, `The answer to ${type} tells the id at the vendor.`, "REQUIRED");
}

interface Place {
  readonly depth: number;
  /** Whether the place is inside a list that is made by `$each`. */
  readonly hasItem: boolean;
}

/** The check for one body, which counts its values. */
class TemplateCheck {
  readonly #type: VendorCommandType;
  readonly #problems: DriverProblems;
  #nodes = 0;

  constructor(type: VendorCommandType, problems: DriverProblems) {
    this.#type = type;
    this.#problems = problems;
  }

  check(value: unknown, at: string, place: Place): void {
    this.#nodes += 1;
    if (this.#nodes === maxNodes + 1) this.#problems.refuse(at, `A body has at most ${maxNodes} values.`, "TOO_LONG");
    if (place.depth === maxDepth) this.#problems.refuse(at, `A body has at most ${maxDepth} levels.`, "TOO_LONG");
    if (this.#nodes > maxNodes || place.depth >= maxDepth || typeof value !== "object" || value === null) return;
    if (isKeptNumber(value)) return;
    const deeper = { ...place, depth: place.depth + 1 };
    if (Array.isArray(value)) for (const [index, item] of value.entries()) this.check(item, `${at}/${index}`, deeper);
    else this.#checkObject(value as Readonly<Record<string, unknown>>, at, deeper);
  }

  #checkObject(value: Readonly<Record<string, unknown>>, at: string, deeper: Place): void {
    const names = Object.keys(value);
    const kind = Object.keys(kinds).find((name) => names.includes(name));
    const allowedMembers = kind === undefined ? undefined : kinds[kind];
    if (kind === undefined || allowedMembers === undefined) {
      for (const name of names) {
        const below = `${at}/${pointerToken(name)}`;
        if (name.startsWith("$") || name === "__proto__")
          this.#problems.refuse(below, `Use ${Object.keys(kinds).join(", ")}, or a name without $.`, "UNKNOWN_VALUE");
        else this.check(value[name], below, deeper);
      }
      return;
    }
    if (names.length !== allowedMembers.length || !allowedMembers.every((name) => names.includes(name)))
      this.#problems.refuse(at, `An object with ${kind} has exactly the members ${allowedMembers.join(" and ")}.`);
    this.#checkPointer(kind, value[kind], `${at}/${kind}`, deeper.hasItem);
    if (kind === "$each") this.check(value["$as"], `${at}/$as`, { ...deeper, hasItem: true });
    if (kind === "$when") this.check(value["$then"], `${at}/$then`, deeper);
  }

  #checkPointer(kind: string, pointer: unknown, at: string, hasItem: boolean): void {
    if (typeof pointer !== "string" || !pointerForm.test(pointer)) {
      this.#problems.refuse(at, "Must be a JSON pointer (RFC 6901).");
      return;
    }
    if (kind === "$item") {
      if (!hasItem) this.#problems.refuse(at, "There is an item only inside of $as.");
      return;
    }
    const memberNames = commandMembers(this.#type);
    const valueNames = [
      ...memberNames,
      ...(memberNames.includes("currency") ? ["currencyInLowerCase"] : []),
      "commandId",
    ];
    const [, first = ""] = pointer.split("/");
    if (!valueNames.includes(first))
      this.#problems.refuse(at, `The data of ${this.#type} has the members ${valueNames.join(", ")}.`, "UNKNOWN_VALUE");
  }
}

/** The mail server with its host in ASCII. Reports what is wrong with it. */
export function checkedMailServer(
  server: MailServer | undefined,
  pointer: string,
  problems: DriverProblems,
): MailServer | undefined {
  if (!server) return undefined;
  const host = isIP(server.host) === 0 ? asciiHost(server.host) : server.host;
  if (host === undefined) problems.refuse(`${pointer}/host`, "Must be a host name or an IP address.");
  return { ...server, host: host ?? server.host };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function entriesOf(value: unknown, pointer: string, problems: DriverProblems): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  problems.refuse(pointer, "Must be an object.", "TYPE");
  return [];
}
