import { memberName } from "@factory/nuget/graph-members";
import { capabilityKeysOf, type KnownLibrary, type Member, type Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { findAlternatives, findNearReleases, findReleasesOf, movesToReleases } from "../moves/candidates.js";
import { add, type Move, remove, replace } from "../moves/move.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

type Provider = Member & { release: Release };

/** Finds library pairs that offer the same exclusive capability; one finding for each pair. */
export function findExclusiveConflicts(context: EvaluationContext): Finding[] {
  const pairs = new Map<string, { one: Provider; other: Provider; shared: string[] }>();
  for (const [capability, providers] of exclusiveOffers(context))
    for (const [index, provider] of providers.entries())
      for (const other of providers.slice(index + 1)) {
        const subject = `${provider.key}|${other.key}`;
        pairs.set(subject, { one: provider, other, shared: [...(pairs.get(subject)?.shared ?? []), capability] });
      }
  return [...pairs].map(([subject, { one, other, shared }]) => ({
    rule: "CapabilityConflictsWith",
    subject,
    packageName: one.packageName,
    detail: `${memberName(one)} and ${memberName(other)} both offer ${joinNames(shared)}, which only one library of a set may offer.`,
    moves: () => [
      [one, other].filter(({ direct }) => direct).map(({ packageName, text }) => remove(packageName, text)),
      [other, one].flatMap((side) => (side.direct ? findAlternatives(context, side.release.library, side.text) : [])),
    ],
  }));
}

/** The providers of each exclusive capability, one member for each package. */
function exclusiveOffers(context: EvaluationContext): Map<string, Provider[]> {
  const members = providersOf(context);
  const offers = new Map<string, Provider[]>();
  const exclusiveKeys = new Set<string>();
  for (const { release } of members)
    for (const key of capabilityKeysOf(release.library).exclusive) exclusiveKeys.add(key);
  if (exclusiveKeys.size === 0) return offers;
  for (const member of members)
    for (const key of capabilityKeysOf(member.release.library).offered) {
      if (!exclusiveKeys.has(key)) continue;
      const offering = offers.get(key) ?? [];
      if (!offering.some((offeringMember) => offeringMember.key === member.key)) offers.set(key, [...offering, member]);
    }
  return new Map([...offers].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function providersOf(context: EvaluationContext): Provider[] {
  return context.members.filter((member): member is Provider => member.release !== undefined);
}

/** Finds libraries that consume one contract version while the set offers only other versions. */
export function findContractMismatches(context: EvaluationContext): Finding[] {
  const members = providersOf(context);
  const consumers = members.filter(({ release }) => (release.registered.consumes?.length ?? 0) > 0);
  return consumers.flatMap((consumer) =>
    [...new Set(consumer.release.registered.consumes ?? [])].sort().flatMap((contract) => {
      const name = nameOfContract(contract);
      const sameName = members.filter(({ release }) => offersName(release.library, name));
      const isMet = sameName.some(({ release }) => offers(release.library, contract));
      if (isMet || sameName.length === 0) return [];
      const offeredContracts = sameName.map(
        (member) => `${memberName(member)} offers ${joinNames(contractsNamed(member.release.library, name))}`,
      );
      return [
        {
          rule: "CapabilityContractMismatch" as const,
          subject: `${consumer.key}|${contract.toLowerCase()}`,
          packageName: consumer.packageName,
          detail: `${memberName(consumer)} consumes ${contract}, but ${joinNames([...new Set(offeredContracts)])}.`,
          moves: () => mismatchMoves(context, { consumer, contract, providers: sameName }),
        },
      ];
    }),
  );
}

interface Mismatch {
  consumer: Provider;
  contract: string;
  providers: readonly Provider[];
}

/** Moves to a consumer version that accepts the offered contract, then to a provider that offers the consumed one. */
function mismatchMoves(context: EvaluationContext, { consumer, contract, providers }: Mismatch): Move[][] {
  const name = nameOfContract(contract);
  const test = ({ registered }: Release) =>
    (registered.consumes ?? []).every(
      (consumedContract) =>
        nameOfContract(consumedContract) !== name ||
        providers.some(({ release }) => offers(release.library, consumedContract)),
    );
  const { release } = consumer;
  const fitting = findReleasesOf(context, (library) => offers(library, contract));
  return [
    movesToReleases(consumer, findNearReleases(context, release.library, { from: release.version, test })),
    providers
      .filter(({ direct }) => direct)
      .flatMap(({ packageName, text }) =>
        fitting.map((next) => replace(packageName, next.library.packageName, [text, next.text])),
      ),
    fitting.map((next) => add(next.library.packageName, next.text)),
  ];
}

function offers({ registered }: KnownLibrary, contract: string): boolean {
  return registered.capabilities.some((capability) => capability.contract?.toLowerCase() === contract.toLowerCase());
}

function offersName(library: KnownLibrary, name: string): boolean {
  return contractsNamed(library, name).length > 0;
}

function contractsNamed({ registered }: KnownLibrary, name: string): string[] {
  return registered.capabilities.flatMap(({ contract }) =>
    contract !== null && nameOfContract(contract) === name ? [contract] : [],
  );
}

// messaging/v2 is the contract messaging in its version v2
function nameOfContract(contract: string): string {
  return contract.toLowerCase().replace(/\/[^/]*$/, "");
}
