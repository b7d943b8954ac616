import { readFileSync } from "node:fs";
import { commandTypes } from "@factory/schema/command-names";
import { refusalCodes } from "@factory/schema/refusal-codes";
import { subgraphNames } from "@factory/schema/subgraph-names";
import { allVocabularies } from "@factory/schema/vocabularies/all-vocabularies";
import { entitlementReasons } from "@factory/schema/vocabularies/plans";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from "graphql";
import { isForTests, root, trackedFiles } from "./tracked-files.js";

const read = (file: string) => readFileSync(`${root}${file}`, "utf8");
const schema = buildSchema(read("schema/supergraph.graphql"), { assumeValidSDL: true });
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !/^(__|join__|link__|_)/.test(name));
const valueSets = new Map(allVocabularies.map((vocabulary) => [vocabulary.name, [...valuesOf(vocabulary)].sort()]));
const valuesText = (values: readonly string[]) => [...values].sort().join(" ");

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;

interface PlacedMember {
  readonly place: string;
  readonly member: Member;
}

const placed = (type: string, members: readonly Member[]): PlacedMember[] =>
  members.map((member) => ({ place: `${type}.${member.name}`, member }));

const members = types.flatMap((type) => {
  if (isInputObjectType(type)) return placed(type.name, Object.values(type.getFields()));
  if (!isObjectType(type)) return [];
  const fields = Object.values(type.getFields());
  return [...placed(type.name, fields), ...fields.flatMap(({ name, args }) => placed(`${type.name}.${name}`, args))];
});

const isText = ({ type }: Member) => getNamedType(type).name === "String";
const hasValues = ({ astNode }: Member) =>
  astNode?.directives?.some(({ arguments: given }) => given?.some(({ name }) => name.value === "values")) === true;
const givesReason = ({ description }: Member) => /\b[Tt]exts?, since /.test(description ?? "");
/** A text whose values are a closed list, without a word about it. */
const isSilent = (member: Member) => isText(member) && !hasValues(member) && !givesReason(member);

/** A description that lists values: `Legacy, CriticalBugs or Other.`, `hex or base64`. */
const listing = /^(?:One of )?`?\w+`?(?:, `?\w+`?)* (?:or|and) `?\w+`?(?:\.|,|$)/;

const sources = trackedFiles().filter(
  (file) => /^subgraphs\/\w+\/src\/.*\.ts$/.test(file) && !isForTests(file) && !file.includes("/migrations/"),
);

describe("an enum of the graph", () => {
  const enums = types.filter(isEnumType);

  it("is made from the list in schema/vocabularies, and each list is used", () => {
    const graphSets = enums.map((type) => [
      type.name,
      type
        .getValues()
        .map(({ name }) => name)
        .sort(),
    ]);
    expect(Object.fromEntries(graphSets)).toEqual(Object.fromEntries(valueSets));
    expect(sources.filter((file) => /\bregisterEnumType\(/.test(read(file)))).toEqual([
      "subgraphs/runtime/src/graphql/enum-type.ts",
    ]);
  });

  it("has a description, and so has each value", () => {
    const silent = enums.flatMap((type) =>
      [type, ...type.getValues()].flatMap(({ name, description }) =>
        /^\S.*[.)]$/.test(description ?? "") ? [] : [`${type.name} ${name}`],
      ),
    );
    expect(silent).toEqual([]);
  });

  it("has the names of the subgraphs", () => {
    expect(valueSets.get("EventArea")).toEqual([...subgraphNames].sort());
  });

  it("has a code of its own only where it exists", () => {
    const places = new Set(members.map(({ place }) => place));
    expect(Object.keys(refusalCodes).filter((key) => !valueSets.has(key) && !places.has(key))).toEqual([]);
  });
});

describe("a member whose values are a closed list", () => {
  it("is an enum, or a text that says why", () => {
    const silent = members.flatMap(({ place, member }) =>
      isSilent(member) && listing.test(member.description ?? "") ? [place] : [],
    );
    expect(silent).toEqual([]);
  });

  it("is an enum, or a text that says why, where the code refuses other values", () => {
    const refusedNames = new Set(
      sources.flatMap((file) =>
        [...read(file).matchAll(/pointer: ["`]\/(?:input|filter)(?:\/[^"`]*)?\/(\w+)["`], allowed:/g)].map(
          ([, name]) => name,
        ),
      ),
    );
    expect(refusedNames.size).toBeGreaterThan(0);
    const inputs = members.filter(({ place }) => /Input\.\w+$/.test(place));
    const named = (name: string | undefined) => inputs.filter(({ member }) => member.name === name);
    // another input may have a free text by the same name
    const silent = [...refusedNames].filter((name) => named(name).every(({ member }) => isSilent(member)));
    expect(silent).toEqual([]);
  });
});

/** The vocabularies of enumerations in the schemas of events and commands: a part of a list, or all of it. */
const schemaVocabularies: readonly (readonly [RegExp, string])[] = [
  [/^ApiClient\w+\.principalType$/, "ApiClientPrincipalType"],
  [/^ApiClient\w+\.status$/, "ApiClientStatus"],
  [/^Connection\w+\.(status|previousStatus)$/, "ConnectionStatus"],
  [/^Connection\w+\.(health|previousHealth)$/, "ConnectionHealth"],
  [/^ConfigurationUpdated\.change$|^SettingChange\w+\.change$/, "ConfigurationChange"],
  [/^Credential\w+\.(status|previousStatus)$/, "CredentialStatus"],
  [/^Credential\w+\.reason$/, "RotationReason"],
  [/^DependenciesScanned\.limits$/, "ScanLimit"],
  [/^(Deprecate\w+|\w+Deprecated)\.reason$/, "DeprecationReason"],
  [/^(EditionUpdated|Subscription\w+)\.(features|entitlements)\.kind$/, "FeatureKind"],
  [/^FeatureFlagUpdated\.change$/, "FeatureFlagChange"],
  [/^FeatureFlagUpdated\.stickiness$/, "FeatureFlagStickiness"],
  [/^ModelInvocation\w+\.operation$/, "RunOperation"],
  [/^ModelInvocation\w+\.status$/, "RunStatus"],
  [/^Notification\w+\.channel$/, "NotificationChannel"],
  [/^NotificationRequested\.priority$/, "NotificationPriority"],
  [/^Provider\w+\.(status|previousStatus)$/, "ProviderStatus"],
  [/^(PullRequestReported|ScaffoldPullRequest\w+)\.state$/, "PullRequestState"],
  [/^Report\w+\.format$/, "ReportFormat"],
  [/^SessionEnded\.kind$/, "SessionKind"],
  [/^Subscription\w+\.billingCycle$/, "BillingCycle"],
  [/^TemplateValidated\.outcome$/, "ValidationOutcome"],
  [/^User(Deleted|Disabled)\.clients$/, "ClientsOfDeletedUser"],
  [/^WebhookSubscriptionDisabled\.reason$/, "WebhookDisabledReason"],
  [/^WebhookSubscription\w+\.direction$/, "WebhookSubscriptionDirection"],
  [/^WebhookSubscription\w+\.(status|previousStatus)$/, "WebhookSubscriptionStatus"],
];

/** Enumerations that only events have. */
const ownOfEvents =
  /^(CredentialExpiryApproaching\.days|InvitationRevoked\.reason|NotificationRequested\.audience|NotificationTemplateUpdated\.change|OpenTicket\.priority|PasswordChanged\.proof|ProviderUpdated\.changed|RoleUnassigned\.reason|SecondFactor\w+\.(by|kind)|SettingChangeWithdrawn\.reason|SigningKeyRotated\.reason|TemplateUpdated\.changed|envelope\.\w+)$/;

interface Enumeration {
  readonly place: string;
  readonly values: readonly string[];
}

function enumerationsIn(node: unknown, place: string): Enumeration[] {
  if (typeof node !== "object" || node === null) return [];
  const { enum: values } = node as { enum?: unknown };
  const own = Array.isArray(values) ? [{ place, values: values.filter((value) => value !== null).map(String) }] : [];
  const below = Object.entries(node).flatMap(([name, value]) => {
    if (name === "enum") return [];
    if (name !== "properties") return enumerationsIn(value, place);
    return Object.entries(value as object).flatMap(([member, rule]) => enumerationsIn(rule, `${place}.${member}`));
  });
  return [...own, ...below];
}

describe("a schema of an event or a command", () => {
  const files = trackedFiles().filter((file) => /^schema\/(events|commands)\/\w+\.schema\.json$/.test(file));
  const enumerations = files.flatMap((file) =>
    enumerationsIn(JSON.parse(read(file)), file.replace(/^.*\/|\.schema\.json$/g, "")),
  );

  it("names values of the lists only", () => {
    expect(enumerations.length).toBeGreaterThan(50);
    const strays = enumerations.flatMap(({ place, values }) => {
      if (ownOfEvents.test(place)) return [];
      const [, name = ""] = schemaVocabularies.find(([pattern]) => pattern.test(place)) ?? [];
      const allowed = valueSets.get(name);
      return allowed && values.every((value) => allowed.includes(value)) ? [] : [`${place}: ${values.join(" ")}`];
    });
    expect(strays).toEqual([]);
  });
});

describe("a gRPC service", () => {
  const files = trackedFiles().filter((file) => /^schema\/proto\/factory\/.*\.proto$/.test(file));

  it("lists the values of a vocabulary, where a comment lists values", () => {
    const known = new Set([...valueSets.values()].map(valuesText));
    const lists = files.flatMap((file) =>
      [...read(file).matchAll(/^ *\/\/ ((?:[A-Z]\w+, )*[A-Z]\w+ or [A-Z]\w+)\.$/gm)].map(([, list = ""]) =>
        valuesText(list.split(/, | or /)),
      ),
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(
      lists.filter((list) => !known.has(list) && !list.split(" ").every((name) => Object.hasOwn(commandTypes, name))),
    ).toEqual([]);
  });

  it("has the reasons of entitlements", () => {
    const [, block = ""] =
      read("schema/proto/factory/spine/v1/entitlements.proto").match(/enum Reason \{([^}]*)\}/) ?? [];
    const reasons = [...block.matchAll(/REASON_(\w+) = [1-9]/g)].map(([, name = ""]) => name.replaceAll("_", ""));
    const names = valuesOf(entitlementReasons).map((name) => name.toUpperCase());
    expect(valuesText(reasons)).toBe(valuesText(names));
  });
});
